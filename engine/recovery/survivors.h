#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"
#include "siltstone/repair.h"

#include "base/internal_key.h"
#include "memtable/memtable.h"
#include "sstable/table_reader.h"

namespace siltstone {

// What can still be opened of a damaged database: tables of which at least footer, index and properties are whole, and
// what the logs hold.
struct Survivors {
  std::vector<std::unique_ptr<TableReader>> tables;
  std::vector<std::shared_ptr<MemTable>> memtables;
  SequenceNumber last_sequence = 0;
};

// Looks for them in the directory: those that the manifest names where it is whole, all that are there where it is not.
// Writes down in `report` what is lost, and fills all of it but the entries. Changes nothing.
//
// Errors: NotFound where the directory holds no file of a database; InvalidArgument where the comparator is not the
// one on record; those of the file system. Single-threaded. Memory: the entries of all logs, index and properties of
// all tables.
absl::StatusOr<Survivors> FindSurvivors(FileSystem& file_system, const std::string& directory,
                                        KeyOrder order, RepairReport* report);

}  // namespace siltstone

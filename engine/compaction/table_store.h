#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

#include "siltstone/file_system.h"
#include "siltstone/options.h"

#include "base/filter_policy.h"
#include "base/internal_key.h"
#include "engine/compaction/filter_choice.h"
#include "engine/manifest/secret_ring.h"
#include "engine/manifest/table.h"
#include "engine/manifest/table_meta.h"
#include "filter/table_filter.h"
#include "sstable/block_cache.h"
#include "sstable/table_writer.h"

namespace siltstone {

// What it takes to write and open the tables of one database. Filled once, at Open.
struct TableStoreOptions {
  std::shared_ptr<FileSystem> file_system;
  std::string directory;
  KeyOrder order{BytewiseComparator()};
  FilterDemand filters;                     // of new tables; any that is there can be read
  std::shared_ptr<BlockCache> block_cache;  // null: none
  SecretRing secrets;
  TableId database_id;
  uint64_t epoch = 0;
  size_t block_size_bytes = 4096;
  Compression compression = Compression::kLz4;
  // Receives the file name of an obsolete table when its last user lets go of it.
  std::function<void(const std::string& file_name)> obsolete_sink;
  // Told once of each table that is read without the filter it carries.
  std::function<void(const absl::Status&)> filter_fault_sink;
};

// A table that is being written, and where.
struct NewTable {
  FileId file;
  TableId id;
  std::unique_ptr<FilterPolicy> filter_policy;  // used by the writer
  std::unique_ptr<TableWriter> writer;
};

// Makes and opens tables: the one place that knows how a table's number, name, id, salt and secret go
// together. A table is written once, whole, under a name that was never used.
//
// Thread-safe; no lock is held during I/O.
class TableStore {
 public:
  TableStore(TableStoreOptions options, std::function<uint64_t()> next_file_number);

  // A writer for a new table that is meant for `level`, with a filter of this kind and chance (ChooseFilter).
  absl::StatusOr<NewTable> Create(int level, const FilterOptions& filter) const;

  // Finishes the table (which syncs it) and describes it. Its name is durable after SyncDirectory.
  absl::StatusOr<TableMeta> Finish(NewTable table) const;

  // Opens a table for reading: one read of its tail. DataLoss where the file is not the one the metadata
  // describe. `level` is where it will stand.
  absl::StatusOr<std::shared_ptr<Table>> Open(const TableMeta& meta, int level) const;

  absl::Status SyncDirectory() const;

  // Removes the file of a table that was never installed; errors do not matter, the next open removes it.
  void Discard(FileId id) const;

  const TableStoreOptions& options() const { return options_; }

 private:
  std::string PathOf(FileId id) const;

  const TableStoreOptions options_;
  const std::unique_ptr<const FilterPolicy> filter_reading_;
  const std::function<uint64_t()> next_file_number_;
};

}  // namespace siltstone

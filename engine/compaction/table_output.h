#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

#include "engine/compaction/table_store.h"

namespace siltstone {

// A key range of the level below a compaction's output, with its size: what a later compaction of an
// output table would have to rewrite.
struct GrandparentRange {
  std::string largest;  // user key
  uint64_t size_bytes = 0;
};

struct TableOutputOptions {
  int level = 0;
  FilterOptions filter = {};
  uint64_t target_size_bytes = 0;                   // 0: one table, however large
  uint64_t max_grandparent_bytes = 0;               // 0: no limit
  std::vector<GrandparentRange> grandparents = {};  // ascending
};

// The tables a job writes: takes entries in order, and cuts where a table is full or would overlap too
// much of the level below. Invariant: one user key never spans two tables.
//
// Thread-compatible.
class TableOutput {
 public:
  TableOutput(const TableStore& store, TableOutputOptions options);
  // Removes what was written, unless Finish succeeded.
  ~TableOutput();
  TableOutput(const TableOutput&) = delete;
  TableOutput& operator=(const TableOutput&) = delete;

  absl::Status Add(std::string_view internal_key, std::string_view value);

  // Finishes the last table, syncs the directory, and opens all tables for reading.
  absl::Status Finish();

  // After Finish.
  const std::vector<std::shared_ptr<Table>>& tables() const { return tables_; }
  uint64_t bytes_written() const { return bytes_written_; }

 private:
  bool ShouldCut(std::string_view user_key);
  absl::Status FinishTable();

  const TableStore& store_;
  const TableOutputOptions options_;
  std::optional<NewTable> current_;
  std::string last_user_key_;
  size_t next_grandparent_ = 0;
  uint64_t overlapped_bytes_ = 0;
  std::vector<FileId> begun_;  // every table, finished or not
  std::vector<TableMeta> metas_;
  std::vector<std::shared_ptr<Table>> tables_;
  uint64_t bytes_written_ = 0;
  bool finished_ = false;
};

}  // namespace siltstone

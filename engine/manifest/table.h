#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "engine/manifest/table_meta.h"

namespace siltstone {

class TableReader;

// One live table: what the manifest says about it and, open, its reader with filter and index. Shared by all
// versions that hold the table, so that a move from level to level opens nothing again.
//
// When the last user lets go of a table that was marked obsolete, its file name goes to the sink, on whatever
// thread that happens: the sink must not do I/O, take a lock that is held while versions are let go of, or throw.
//
// Thread safety: thread-safe.
class Table {
 public:
  using ObsoleteSink = std::function<void(const std::string& file_name)>;

  // `reader` may be null where nothing is read (tests, pickers). `sink` may be empty.
  Table(TableMeta meta, std::unique_ptr<TableReader> reader, int level, ObsoleteSink sink = {});
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const TableMeta meta;
  const std::unique_ptr<TableReader> reader;

  // Where the table was put last. For figures only: a read still under way may know it elsewhere.
  int level() const { return level_.load(std::memory_order_relaxed); }
  void SetLevel(int level) { level_.store(level, std::memory_order_relaxed); }

  // From now on the file is garbage once nobody uses the table any more. REQUIRES: no durable manifest that
  // may still count names it.
  void MarkObsolete() { obsolete_.store(true, std::memory_order_relaxed); }

 private:
  const ObsoleteSink sink_;
  std::atomic<int> level_;
  std::atomic<bool> obsolete_{false};
};

}  // namespace siltstone

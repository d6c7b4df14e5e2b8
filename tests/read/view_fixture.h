#pragma once

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "siltstone/file_system.h"

#include "base/filter_policy.h"
#include "base/internal_key.h"
#include "engine/read/read_view.h"
#include "sstable/block_cache.h"
#include "tests/read/vector_iterator.h"

namespace siltstone::read_test {

// Every read of a file that was opened with it fails while this is set.
using ReadFault = std::atomic<bool>;

struct TableMakerOptions {
  KeyOrder order{BytewiseComparator()};
  size_t block_size_bytes = 256;
  double fp_chance = 0.01;
  BlockCache* cache = nullptr;  // may be null
};

// Makes real tables in a file system in memory.
class TableMaker {
 public:
  explicit TableMaker(const TableMakerOptions& options);

  // A table of the entries, which are not empty and sorted. `fault` outlives the table. Tables of different
  // `secret_id` have different filter seeds.
  std::shared_ptr<Table> Make(const Entries& entries, int level, const ReadFault* fault = nullptr,
                              uint32_t secret_id = 1);

  KeyOrder order() const { return options_.order; }

 private:
  const TableMakerOptions options_;
  const std::shared_ptr<FileSystem> file_system_;
  const std::unique_ptr<FilterPolicy> filter_policy_;
  uint64_t next_number_ = 1;
};

// Owns the one reference that a new view has.
struct ViewDeleter {
  void operator()(const ReadView* view) const { view->Unref(); }
};
using OwnedView = std::unique_ptr<ReadView, ViewDeleter>;

// A view of the memtables (newest first; the first one is the active one) and levels.
OwnedView MakeView(KeyOrder order, const std::vector<Entries>& memtables,
                   std::array<Level, kLevelCount> levels);

// All versions of all keys: what a view must show.
class Model {
 public:
  explicit Model(KeyOrder order) : order_(order) {}

  void Add(SequenceNumber sequence, ValueType type, const std::string& key,
           const std::string& value);
  // nullptr: never written. Its second member is nullopt for a tombstone.
  const std::pair<SequenceNumber, std::optional<std::string>>* Newest(
      const std::string& key, SequenceNumber snapshot) const;
  std::optional<std::string> Get(const std::string& key, SequenceNumber snapshot) const;
  // The visible keys and values, in order.
  std::vector<std::pair<std::string, std::string>> Visible(SequenceNumber snapshot) const;

 private:
  using Version = std::pair<SequenceNumber, std::optional<std::string>>;

  KeyOrder order_;
  std::map<std::string, std::vector<Version>> keys_;  // versions ascending
};

// A random history, spread over two or three memtables, tables of level 0, and runs of levels 1 and 3.
struct RandomHistory {
  RandomHistory(std::mt19937_64& random, TableMaker& maker, const ReadFault* fault = nullptr);

  Model model;
  SequenceNumber last_sequence = 0;
  OwnedView view;
  std::vector<std::shared_ptr<Table>> tables;
};

// A key that RandomHistory may have written; it writes about half of them.
std::string RandomKey(std::mt19937_64& random);

}  // namespace siltstone::read_test

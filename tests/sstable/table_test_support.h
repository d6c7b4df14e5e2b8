#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/file_system.h"

#include "base/epoch.h"
#include "base/filter_policy.h"
#include "base/internal_key.h"
#include "sstable/table_reader.h"
#include "sstable/table_writer.h"

namespace siltstone {

// A table file whose bytes end up in a string.
class StringTableFile : public TableFile {
 public:
  explicit StringTableFile(std::string* bytes) : bytes_(bytes) {}
  absl::Status Append(std::string_view bytes) override;
  absl::Status Finish() override;

 private:
  std::string* bytes_;
  bool finished_ = false;
};

// A file of the given bytes, which the test may change while it is open; counts its reads.
class StringFile : public RandomAccessFile {
 public:
  StringFile(const std::string* bytes, std::atomic<int>* reads) : bytes_(bytes), reads_(reads) {}
  absl::Status Read(uint64_t offset, std::span<char> out) const override;
  uint64_t size_bytes() const override { return bytes_->size(); }

 private:
  const std::string* bytes_;
  std::atomic<int>* reads_;
};

// Filters that are exact lists of hashes.
class ListFilterPolicy : public FilterPolicy {
 public:
  std::unique_ptr<FilterBuilder> NewBuilder(uint64_t salt) const override;
  absl::StatusOr<std::unique_ptr<FilterReader>> OpenReader(std::string bytes) const override;
};

// Bytes backwards: an order in which neither prefixes nor separators work.
class BackwardComparator : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override;
  std::string_view name() const override { return "test.backward"; }
};

// Internal keys in the order of the table.
struct InternalKeyLess {
  KeyOrder order{BytewiseComparator()};
  bool operator()(std::string_view a, std::string_view b) const {
    return order.CompareInternalKeys(a, b) < 0;
  }
};
using Entries = std::map<std::string, std::string, InternalKeyLess>;

inline constexpr uint64_t kTestSeed = 0x5eed;
inline constexpr uint32_t kTestSecretId = 7;

TableWriterOptions WriterOptionsForTest(const KeyOrder& order = KeyOrder(BytewiseComparator()));

// A finished table and what its writer said.
struct BuiltTable {
  std::string bytes;
  TableSummary summary;
};
BuiltTable BuildTable(const Entries& entries, TableWriterOptions options = WriterOptionsForTest());

struct OpenedTable {
  std::shared_ptr<std::string> bytes;
  std::shared_ptr<std::atomic<int>> reads = std::make_shared<std::atomic<int>>(0);
  absl::StatusOr<std::unique_ptr<TableReader>> reader = absl::UnknownError("not opened");
  TableReader* operator->() const { return reader->get(); }
};
TableReaderOptions ReaderOptionsForTest(const KeyOrder& order = KeyOrder(BytewiseComparator()));
OpenedTable OpenTable(std::string bytes, TableReaderOptions options = ReaderOptionsForTest());

// What a table says of a key: "value@sequence", "deleted@sequence", "absent", or the error.
std::string GetText(const TableReader& table, std::string_view user_key, SequenceNumber snapshot,
                    TableReadContext* context = nullptr);
// The same by the model.
std::string ModelText(const Entries& entries, std::string_view user_key, SequenceNumber snapshot);

// All entries forwards; the status of the iterator's end in *status.
std::vector<std::pair<std::string, std::string>> ScanAll(const TableReader& table,
                                                         absl::Status* status);

// Random user keys, long and short, with common beginnings, several versions each.
Entries RandomEntries(uint64_t seed, size_t count, const KeyOrder& order);

}  // namespace siltstone

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/hash.h"
#include "tests/engine/test_database.h"
#include "tests/support/temporary_directory.h"

// Ten million entries in random order, in a folder on the disk: every one is found again, absent ones are not, and
// scans see all of them in order. SILTSTONE_BULK_FULL=1 asks for the ten million, SILTSTONE_BULK_KEYS for any number.

namespace siltstone {
namespace {

constexpr size_t kKeyBytes = 16;
constexpr size_t kValueBytes = 100;

uint64_t KeyCount() {
  if (const char* text = std::getenv("SILTSTONE_BULK_KEYS"); text != nullptr) {
    return std::strtoull(text, nullptr, 0);
  }
  const char* full = std::getenv("SILTSTONE_BULK_FULL");
  return full != nullptr && std::string_view(full) == "1" ? 10'000'000 : 1'000'000;
}

// Sixteen hexadecimal digits of a number that Remix, a bijection, makes of the index: all different, in random order.
class BulkKey {
 public:
  explicit BulkKey(uint64_t index) : number_(Remix(index)) {
    std::snprintf(text_.data(), text_.size(), "%016" PRIx64, number_);
  }
  std::string_view view() const { return {text_.data(), kKeyBytes}; }
  uint64_t number() const { return number_; }

 private:
  uint64_t number_;
  std::array<char, kKeyBytes + 1> text_;
};

// Half of it compresses, as values tend to.
void FillValue(std::string_view key, std::string* value) {
  value->assign(kValueBytes, '.');
  uint64_t state = HashKey(key, 7);
  for (size_t i = 0; i < kValueBytes / 2; ++i) {
    (*value)[i] = static_cast<char>(state >> 56);
    state = state * 6364136223846793005u + 1442695040888963407u;
  }
}

class BulkLong : public ::testing::Test {
 protected:
  // The default options for ten million keys; fewer get a smaller memtable, so that the tree has the same shape.
  static Options MakeOptions() {
    Options options;
    const uint64_t buffer_bytes = options.write_buffer_size_bytes * KeyCount() / 10'000'000;
    options.write_buffer_size_bytes =
        std::clamp<uint64_t>(buffer_bytes, uint64_t{1} << 20, options.write_buffer_size_bytes);
    options.create_if_missing = true;
    options.durability = Durability::kBuffered;
    return options;
  }

  void Fill() {
    std::string value;
    for (uint64_t i = 0; i < count_; ++i) {
      const BulkKey key(i);
      FillValue(key.view(), &value);
      ASSERT_EQ(db_->Put(key.view(), value), absl::OkStatus());
      key_sum_ += key.number();
    }
  }

  void ExpectAllFound() {
    std::string value;
    for (uint64_t i = 0; i < count_; ++i) {
      const BulkKey key(i);
      const auto result = db_->Get(key.view());
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_TRUE(result->has_value()) << key.view() << ", number " << i;
      FillValue(key.view(), &value);
      ASSERT_EQ((*result)->view(), value) << key.view();
    }
  }

  void ExpectOthersAbsent() {
    const Statistics before = db_->GetStatistics();
    for (uint64_t i = 0; i < count_; ++i) {
      const auto result = db_->Get(BulkKey(count_ + i).view());
      ASSERT_TRUE(result.ok()) << result.status();
      ASSERT_FALSE(result->has_value()) << BulkKey(count_ + i).view();
    }
    const Statistics after = db_->GetStatistics();
    const uint64_t checked = after.filters_checked - before.filters_checked;
    const uint64_t wasted = after.filter_false_positives - before.filter_false_positives;
    std::cout << "filters asked " << checked << ", false positives " << wasted << std::endl;
    EXPECT_LT(static_cast<double>(wasted), 0.012 * static_cast<double>(checked) + 100);
  }

  void ExpectScan(bool forward) {
    const auto it = db_->NewIterator({.fill_cache = false});
    std::string last;
    std::string value;
    uint64_t count = 0;
    uint64_t sum = 0;
    for (forward ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
         forward ? it->Next() : it->Prev()) {
      ASSERT_EQ(it->key().size(), kKeyBytes);
      const bool ordered = forward ? last < it->key() : last > it->key();
      ASSERT_TRUE(count == 0 || ordered) << last;
      last.assign(it->key());
      FillValue(last, &value);
      ASSERT_EQ(it->value(), value) << last;
      sum += std::strtoull(last.c_str(), nullptr, 16);
      ++count;
    }
    EXPECT_EQ(it->status(), absl::OkStatus());
    EXPECT_EQ(count, count_);
    EXPECT_EQ(sum, key_sum_);
  }

  const uint64_t count_ = KeyCount();
  TemporaryDirectory folder_;
  TestDatabase db_{MakeOptions(), folder_.path() + "/db"};
  uint64_t key_sum_ = 0;
};

TEST_F(BulkLong, EveryEntryIsThereInOrderAndNoOther) {
  std::cout << count_ << " keys" << std::endl;
  ASSERT_NO_FATAL_FAILURE(Fill());
  const Statistics written = db_->GetStatistics();
  std::cout << "flushes " << written.flushes << ", compactions " << written.compactions
            << ", moves " << written.trivial_moves << ", bytes written by jobs "
            << written.flush_bytes_written + written.compaction_bytes_written << std::endl;
  db_.Reopen();
  ASSERT_NO_FATAL_FAILURE(ExpectAllFound());
  ASSERT_NO_FATAL_FAILURE(ExpectOthersAbsent());
  ASSERT_NO_FATAL_FAILURE(ExpectScan(/*forward=*/true));
  ASSERT_NO_FATAL_FAILURE(ExpectScan(/*forward=*/false));
  EXPECT_EQ(db_->VerifyChecksums(), absl::OkStatus());
}

}  // namespace
}  // namespace siltstone

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memtable/memtable.h"
#include "tests/memtable/memtable_model.h"

// One writer beside readers that take no lock. Meant for the thread sanitizer.

namespace siltstone {
namespace {

constexpr uint64_t kKeys = 64;
constexpr SequenceNumber kLast = 6000;

std::string KeyOf(SequenceNumber sequence) {
  return "shared-prefix" + std::to_string(sequence * 37 % kKeys);
}
// Says to whom it belongs, in a length that varies.
std::string ValueOf(SequenceNumber sequence) {
  return std::to_string(sequence) + std::string(sequence % 50, '.');
}

// At a published snapshot s every key has the newest version that is not newer than s.
void ExpectLookup(const MemTable& memtable, SequenceNumber snapshot, uint64_t back) {
  if (snapshot <= back + kKeys) return;
  const SequenceNumber at = snapshot - back;
  const MemTableLookup found = memtable.Get(KeyOf(at), at);
  ASSERT_EQ(found.state, MemTableLookup::State::kFound);
  ASSERT_EQ(found.sequence, at);
  ASSERT_EQ(found.value, ValueOf(at));
}

// Forwards and backwards: sorted, every value with its key, nothing published missing.
void ExpectWalk(const MemTable& memtable, SequenceNumber snapshot, bool forwards) {
  const KeyOrder order(BytewiseComparator());
  auto it = memtable.NewIterator();
  std::string last;
  uint64_t published = 0;
  for (forwards ? it->SeekToFirst() : it->SeekToLast(); it->Valid();
       forwards ? it->Next() : it->Prev()) {
    if (!last.empty()) {
      const int compared = order.CompareInternalKeys(last, it->key());
      ASSERT_TRUE(forwards ? compared < 0 : compared > 0);
    }
    last = it->key();
    const SequenceNumber sequence = TrailerSequence(ExtractTrailer(it->key()));
    ASSERT_EQ(it->value(), ValueOf(sequence));
    ASSERT_GE(sequence, memtable.smallest_sequence());
    if (sequence <= snapshot) ++published;
  }
  ASSERT_EQ(published, snapshot);
}

TEST(MemTableThreads, ReadersBesideAWriterSeeAllThatIsPublished) {
  MemTable memtable(KeyOrder(BytewiseComparator()), 1);
  std::atomic<SequenceNumber> published{0};
  std::vector<std::thread> readers;
  for (uint64_t reader = 0; reader < 3; ++reader) {
    readers.emplace_back([&, reader] {
      SequenceNumber snapshot = 0;
      for (uint64_t round = 0; snapshot < kLast && !testing::Test::HasFatalFailure(); ++round) {
        snapshot = published.load(std::memory_order_acquire);
        ExpectLookup(memtable, snapshot, round * (reader + 1) % 100);
        if (round % 64 == 0) ExpectWalk(memtable, snapshot, (round / 64 + reader) % 2 == 0);
        EXPECT_GE(memtable.memory_bytes(), memtable.used_bytes());
      }
    });
  }
  for (SequenceNumber sequence = 1; sequence <= kLast; ++sequence) {
    memtable.Add(sequence, ValueType::kValue, KeyOf(sequence), ValueOf(sequence));
    published.store(sequence, std::memory_order_release);
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_EQ(memtable.entry_count(), kLast);
  ExpectWalk(memtable, kLast, true);
  ExpectWalk(memtable, kLast, false);
}

}  // namespace
}  // namespace siltstone

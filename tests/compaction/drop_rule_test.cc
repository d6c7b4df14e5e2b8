#include "engine/compaction/drop_rule.h"

#include <algorithm>
#include <optional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const KeyOrder kOrder(BytewiseComparator());

struct Entry {
  std::string key;
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kValue;
};

std::string InternalKeyOf(const Entry& entry) {
  return MakeInternalKey(entry.key, PackTrailer(entry.sequence, entry.type));
}

// The entries that the rule leaves, in order.
std::vector<Entry> Filter(std::vector<Entry> entries, const std::vector<SequenceNumber>& snapshots,
                          const std::set<std::string>& beneath) {
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return kOrder.CompareInternalKeys(InternalKeyOf(a), InternalKeyOf(b)) < 0;
  });
  DropRule rule(kOrder, snapshots,
                [&](std::string_view key) { return !beneath.contains(std::string(key)); });
  std::vector<Entry> kept;
  for (const Entry& entry : entries) {
    if (!rule.ShouldDrop(InternalKeyOf(entry))) kept.push_back(entry);
  }
  return kept;
}

std::vector<SequenceNumber> Sequences(const std::vector<Entry>& entries) {
  std::vector<SequenceNumber> sequences;
  for (const Entry& entry : entries) sequences.push_back(entry.sequence);
  return sequences;
}

Entry Put(SequenceNumber sequence, const std::string& key = "k") {
  return {key, sequence, ValueType::kValue};
}
Entry Delete(SequenceNumber sequence, const std::string& key = "k") {
  return {key, sequence, ValueType::kDeletion};
}

std::vector<SequenceNumber> Kept(const std::vector<Entry>& entries,
                                 const std::vector<SequenceNumber>& snapshots,
                                 const std::set<std::string>& beneath = {}) {
  return Sequences(Filter(entries, snapshots, beneath));
}

TEST(DropRule, WithoutSnapshotsTheNewestVersionStays) {
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {}), ElementsAre(9));
}

TEST(DropRule, EachSnapshotKeepsTheVersionItSees) {
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {5}), ElementsAre(9, 5));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {4}), ElementsAre(9, 1));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {1, 5, 9}), ElementsAre(9, 5, 1));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {9}), ElementsAre(9));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {0}), ElementsAre(9));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {6, 7, 8}), ElementsAre(9, 5));
  EXPECT_THAT(Kept({Put(1), Put(5), Put(9)}, {5, 5}), ElementsAre(9, 5));
}

TEST(DropRule, ATombstoneGoesWithWhatItHidesWhenNothingLiesBeneath) {
  EXPECT_THAT(Kept({Put(1), Delete(5)}, {}), IsEmpty());
  EXPECT_THAT(Kept({Put(1), Delete(5)}, {}, {"k"}), ElementsAre(5));
  EXPECT_THAT(Kept({Delete(5)}, {}, {"other"}), IsEmpty());
}

TEST(DropRule, ATombstoneStaysAsLongAsASnapshotSeesWhatItHides) {
  EXPECT_THAT(Kept({Put(1), Delete(5)}, {3}), ElementsAre(5, 1));
  EXPECT_THAT(Kept({Put(1), Delete(5)}, {5}), IsEmpty()) << "all see the tombstone";
  EXPECT_THAT(Kept({Put(1), Delete(5)}, {4, 9}), ElementsAre(5, 1));
  EXPECT_THAT(Kept({Put(1), Delete(5), Put(7)}, {5}), ElementsAre(7));
}

TEST(DropRule, KeysAreToldApart) {
  EXPECT_THAT(Kept({Put(9, ""), Put(8, "a"), Put(7, "aa"), Put(6, "aa"), Put(5, "b")}, {}),
              ElementsAre(9, 8, 7, 5));
  EXPECT_THAT(Kept({Delete(9, ""), Put(8, ""), Put(7, "a")}, {}), ElementsAre(7));
}

// The newest version that a reader at `snapshot` sees, in the entries and then in what lies beneath them.
std::optional<SequenceNumber> See(const std::vector<Entry>& entries, const std::string& key,
                                  SequenceNumber snapshot) {
  const Entry* newest = nullptr;
  for (const Entry& entry : entries) {
    if (entry.key == key && entry.sequence <= snapshot &&
        (newest == nullptr || entry.sequence > newest->sequence)) {
      newest = &entry;
    }
  }
  if (newest == nullptr || newest->type == ValueType::kDeletion) return std::nullopt;
  return newest->sequence;
}

TEST(DropRule, NoReaderCanTell) {
  Random random(TestSeed());
  size_t dropped = 0;
  for (int round = 0; round < 3000; ++round) {
    const SequenceNumber last = random.Between(1, 60);
    const SequenceNumber boundary = random.Uniform(last + 1);  // older entries lie beneath
    std::vector<Entry> beneath, inputs;
    std::set<std::string> keys, keys_beneath;
    for (SequenceNumber sequence = 1; sequence <= last; ++sequence) {
      Entry entry{std::string(random.Uniform(4), 'k'), sequence,
                  random.OneIn(3) ? ValueType::kDeletion : ValueType::kValue};
      keys.insert(entry.key);
      if (sequence <= boundary) keys_beneath.insert(entry.key);
      (sequence <= boundary ? beneath : inputs).push_back(std::move(entry));
    }
    std::vector<SequenceNumber> snapshots;
    for (uint64_t i = random.Uniform(5); i > 0; --i) snapshots.push_back(random.Uniform(last + 1));
    std::sort(snapshots.begin(), snapshots.end());

    std::vector<Entry> before = beneath, after = beneath;
    before.insert(before.end(), inputs.begin(), inputs.end());
    const std::vector<Entry> kept = Filter(inputs, snapshots, keys_beneath);
    after.insert(after.end(), kept.begin(), kept.end());
    dropped += inputs.size() - kept.size();

    snapshots.push_back(last);  // and a reader of the newest state
    for (const SequenceNumber snapshot : snapshots) {
      for (const std::string& key : keys) {
        ASSERT_EQ(See(after, key, snapshot), See(before, key, snapshot))
            << "round " << round << ", key \"" << key << "\", snapshot " << snapshot;
      }
    }
    // Nothing is kept in vain: of each key at most one version a snapshot, and one for now.
    for (const std::string& key : keys) {
      const auto count = std::count_if(kept.begin(), kept.end(),
                                       [&](const Entry& entry) { return entry.key == key; });
      ASSERT_LE(static_cast<size_t>(count), snapshots.size());
    }
  }
  EXPECT_GT(dropped, 10000u) << "the test tests nothing";
}

}  // namespace
}  // namespace siltstone

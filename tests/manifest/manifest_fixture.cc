#include "tests/manifest/manifest_fixture.h"

#include <gtest/gtest.h>

namespace siltstone::manifest_test {

TableMeta MakeMeta(uint64_t number, std::string_view smallest, std::string_view largest,
                   SequenceRange sequences) {
  TableMeta meta;
  meta.epoch = 1;
  meta.number = number;
  meta.file_size_bytes = 1000 + number;
  meta.tail_size_bytes = 100;
  meta.id = {number, ~number};
  meta.smallest_sequence = sequences.smallest;
  meta.largest_sequence = sequences.largest;
  meta.entries = 10;
  meta.distinct_keys = 8;
  meta.tombstones = 2;
  meta.raw_key_bytes = 300;
  meta.raw_value_bytes = 500;
  meta.smallest = MakeInternalKey(smallest, PackTrailer(sequences.largest, ValueType::kValue));
  meta.largest = MakeInternalKey(largest, PackTrailer(sequences.smallest, ValueType::kDeletion));
  return meta;
}

std::shared_ptr<Table> MakeTable(uint64_t number, std::string_view smallest,
                                 std::string_view largest, SequenceRange sequences) {
  return std::make_shared<Table>(MakeMeta(number, smallest, largest, sequences), nullptr, 0);
}

VersionEdit FirstEdit() {
  VersionEdit edit;
  edit.comparator_name = std::string(BytewiseComparator()->name());
  edit.table_options = RecordedTableOptions{};
  edit.last_sequence = 0;
  edit.next_file_number = 2;
  edit.epoch = 1;
  return edit;
}

VersionEdit FullEdit() {
  VersionEdit edit = FirstEdit();
  edit.comparator_name = "reverse";
  edit.table_options = {FilterKind::kStandardBloom, 0.001, Compression::kNone,
                        FilterAllocation::kByLevel};
  edit.last_sequence = 12345;
  edit.next_file_number = 99;
  edit.epoch = 4;
  edit.removed = {{0, 1, 5}, {6, 2, 7}};
  edit.added = {{1, MakeMeta(20, "apple", "banana")}, {6, MakeMeta(21, "", std::string(300, 'z'))}};
  edit.logs_begun = {{4, 30, 4096}, {4, 31, 0}};
  edit.logs_sealed = {{3, 29, 777}, {4, 30, 888}};
  edit.logs_retired = {{3, 27}, {3, 28}};
  return edit;
}

ManifestState FirstState() {
  ManifestState state;
  const absl::Status status = state.Apply(FirstEdit(), KeyOrder(BytewiseComparator()));
  EXPECT_TRUE(status.ok()) << status;
  return state;
}

const Comparator* ReverseComparator() {
  class Reverse : public Comparator {
   public:
    int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
    std::string_view name() const override { return "reverse"; }
  };
  static const Reverse kReverse;
  return &kReverse;
}

std::string RandomKey(uint64_t random_bits) {
  std::string key(random_bits % 12, 'a');
  random_bits /= 12;
  for (char& c : key) {
    c = static_cast<char>("a\x00\xff"[random_bits % 3]);
    random_bits /= 3;
  }
  return key;
}

}  // namespace siltstone::manifest_test

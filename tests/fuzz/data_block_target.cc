#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "sstable/data_block_reader.h"
#include "sstable/data_block_writer.h"
#include "tests/fuzz/fuzz_target.h"

namespace siltstone::fuzz {

namespace {

using Entry = std::pair<std::string, std::string>;

const KeyOrder kOrder(BytewiseComparator());

// All entries, front to back; whether the block is one that a table may have (S6 to S8).
bool ReadAll(const Block& block, std::vector<Entry>* entries) {
  DataBlockCursor cursor(kOrder);
  cursor.SetBlock(&block);
  bool ascending = true;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    ascending = ascending && (entries->empty() ||
                              kOrder.CompareInternalKeys(entries->back().first, cursor.key()) < 0);
    entries->emplace_back(cursor.key(), cursor.value());
    // A cursor that went around would give more entries than there are bytes.
    Expect(entries->size() <= block.entry_bytes(), "a walk ends");
  }
  return ascending && !cursor.damaged() && RestartPointsBeginEntries(block);
}

void WalkBack(const Block& block, std::vector<Entry>* entries) {
  DataBlockCursor cursor(kOrder);
  cursor.SetBlock(&block);
  for (cursor.SeekToLast(); cursor.Valid(); cursor.Prev()) {
    entries->emplace_back(cursor.key(), cursor.value());
    Expect(entries->size() <= block.entry_bytes(), "a walk back ends");
  }
}

void SeekEverywhere(const Block& block, const std::vector<Entry>& entries, bool whole) {
  DataBlockCursor cursor(kOrder);
  for (const Entry& entry : entries) {
    cursor.SetBlock(&block);
    cursor.Seek(entry.first);
    DataBlockEntry found;
    const PointVerdict verdict = FindInDataBlock(block, kOrder, ExtractUserKey(entry.first),
                                                 ExtractTrailer(entry.first), &found);
    if (!whole) continue;
    Expect(cursor.Valid() && cursor.key() == entry.first && cursor.value() == entry.second,
           "a seek to a key of a block finds it");
    Expect(verdict == PointVerdict::kMatch && found.value() == entry.second,
           "a search for a key of a block finds it");
  }
}

void Run(const std::string& input) {
  if (input.size() > (size_t{1} << 20)) return;
  Block* const block = Block::Create(input.size());
  const BlockRef owner = BlockRef::Owned(block);
  std::memcpy(block->mutable_bytes(), input.data(), input.size());
  const absl::Status sealed = block->Seal(input.size());
  if (!sealed.ok()) return Expect(!sealed.message().empty(), "a refusal says why");
  std::vector<Entry> forward, backward;
  const bool whole = ReadAll(*block, &forward);
  WalkBack(*block, &backward);
  SeekEverywhere(*block, forward, whole);
  if (!whole) return;
  std::reverse(backward.begin(), backward.end());
  Expect(forward == backward, "a block reads the same in both directions");
}

std::string MakeBlock(int entries, int restart_interval) {
  DataBlockWriter writer(restart_interval);
  for (int i = 0; i < entries; ++i) {
    const auto sequence = static_cast<SequenceNumber>(100 - i % 3);
    writer.Add(MakeInternalKey(
                   absl::StrCat("user:", 1000 + i / 3),
                   PackTrailer(sequence, i % 5 == 0 ? ValueType::kDeletion : ValueType::kValue)),
               i % 5 == 0 ? "" : std::string(static_cast<size_t>(i) * 7 % 150, 'v'));
  }
  return *writer.Finish();
}

std::vector<std::string> MakeSeeds() {
  return {MakeBlock(1, 16), MakeBlock(7, 2), MakeBlock(60, 16)};
}

}  // namespace

const FuzzTarget kDataBlockTarget = {.name = "data_block", .run = Run, .make_seeds = MakeSeeds};

}  // namespace siltstone::fuzz

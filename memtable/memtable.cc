#include "memtable/memtable.h"

#include "base/check.h"

namespace siltstone {

namespace {

// Single-threaded. Never has an error: memory cannot be damaged in a way that is told.
class MemTableIterator final : public InternalIterator {
 public:
  explicit MemTableIterator(const OrderedTable* table) : cursor_(table) {}

  bool Valid() const override { return cursor_.Valid(); }
  void SeekToFirst() override { cursor_.SeekToFirst(); }
  void SeekToLast() override { cursor_.SeekToLast(); }
  void Seek(std::string_view internal_key) override {
    SILTSTONE_CHECK(internal_key.size() >= kTrailerBytes);
    cursor_.Seek(ExtractUserKey(internal_key), ExtractTrailer(internal_key));
  }
  void SeekForPrev(std::string_view internal_key) override {
    SILTSTONE_CHECK(internal_key.size() >= kTrailerBytes);
    cursor_.SeekForPrev(ExtractUserKey(internal_key), ExtractTrailer(internal_key));
  }
  void Next() override { cursor_.Next(); }
  void Prev() override { cursor_.Prev(); }
  std::string_view key() const override { return cursor_.internal_key(); }
  std::string_view value() const override { return cursor_.value(); }
  absl::Status status() const override { return absl::OkStatus(); }

 private:
  OrderedTable::Cursor cursor_;
};

}  // namespace

MemTable::MemTable(KeyOrder order, uint64_t id) : table_(order, &arena_), id_(id) {}

void MemTable::Add(SequenceNumber sequence, ValueType type, std::string_view key,
                   std::string_view value) {
  // A larger one would spill out of the trailer and destroy the order.
  SILTSTONE_CHECK(sequence <= kMaxSequenceNumber);
  // The bounds go first: whoever meets the entry finds its sequence within them (M2).
  if (sequence < smallest_sequence()) {
    smallest_sequence_.store(sequence, std::memory_order_relaxed);
  }
  if (sequence > largest_sequence()) {
    largest_sequence_.store(sequence, std::memory_order_relaxed);
  }
  table_.Insert(key, PackTrailer(sequence, type), value);
  // One writer, so a plain load and store.
  entry_count_.store(entry_count() + 1, std::memory_order_relaxed);
}

MemTableLookup MemTable::Get(std::string_view user_key, SequenceNumber snapshot) const {
  SILTSTONE_DCHECK(snapshot <= kMaxSequenceNumber);
  OrderedTable::Cursor cursor(&table_);
  cursor.Seek(user_key, SeekTrailer(snapshot));
  if (!cursor.Valid() || !cursor.HasUserKey(user_key)) return {};
  const uint64_t trailer = cursor.trailer();
  SILTSTONE_DCHECK(TrailerSequence(trailer) <= snapshot);
  const bool found = static_cast<ValueType>(trailer & 0xff) == ValueType::kValue;
  return {.state = found ? MemTableLookup::State::kFound : MemTableLookup::State::kDeleted,
          .value = found ? cursor.value() : std::string_view(),
          .sequence = TrailerSequence(trailer)};
}

std::unique_ptr<InternalIterator> MemTable::NewIterator() const {
  return std::make_unique<MemTableIterator>(&table_);
}

}  // namespace siltstone

#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

#include "siltstone/read_receipt.h"

#include "base/internal_iterator.h"
#include "base/internal_key.h"
#include "sstable/block.h"
#include "sstable/block_fetcher.h"
#include "sstable/data_block_reader.h"
#include "sstable/index_block.h"

namespace siltstone {

// A walk over the entries of one table, one block at a time.
//
// Invariants: those of InternalIterator, and
//   I4. Valid() implies that the cursor is valid and stands in block `block_index_`, of which a reference is
//       held.
// Thread safety: single-threaded.
// Cost: one block fetched each time a block is entered; forward walks read ahead.
class TableIterator final : public InternalIterator {
 public:
  // Index and fetcher must outlive the iterator. `receipt` may be null.
  TableIterator(const KeyOrder& order, const IndexBlockReader& index, const BlockFetcher& fetcher,
                bool fill_cache, ReadReceipt* receipt);

  // Told of a data block that cannot be read for damage.
  using DamageSink = std::function<void(size_t block, const absl::Status& damage)>;
  // From now on SeekToFirst and Next tell the sink of such blocks and go on behind them. Other errors, and the other
  // moves, end at them as ever.
  void PassOverDamage(DamageSink sink) { damage_sink_ = std::move(sink); }

  bool Valid() const override { return cursor_.Valid(); }
  void SeekToFirst() override;
  void SeekToLast() override;
  void Seek(std::string_view internal_key) override;
  void SeekForPrev(std::string_view internal_key) override;
  void Next() override;
  void Prev() override;
  std::string_view key() const override { return cursor_.key(); }
  std::string_view value() const override { return cursor_.value(); }
  absl::Status status() const override { return status_; }

 private:
  // Makes the cursor stand nowhere in block `index`, or have no block where there is no such one or it
  // cannot be read. True when it has one.
  bool EnterBlock(size_t index);
  void LeaveBlock();
  // After a move: tells of damage the cursor has met.
  void CheckCursor();
  // Whether a forward walk may go on behind the damage in the block.
  bool PassOver();
  // Where the cursor fell off its block without damage: on to the neighbours.
  void SkipForward();
  void SkipBackward();

  const KeyOrder order_;
  const IndexBlockReader& index_;
  const BlockFetcher& fetcher_;
  ReadReceipt* const receipt_;
  TableReadContext context_;
  ReadAheadBuffer ahead_;
  absl::Status status_;
  DamageSink damage_sink_;
  size_t block_index_ = 0;
  BlockRef block_;
  DataBlockCursor cursor_;
};

}  // namespace siltstone

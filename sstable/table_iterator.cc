#include "sstable/table_iterator.h"

#include "base/check.h"

namespace siltstone {

TableIterator::TableIterator(const KeyOrder& order, const IndexBlockReader& index,
                             const BlockFetcher& fetcher, bool fill_cache, ReadReceipt* receipt)
    : order_(order), index_(index), fetcher_(fetcher), receipt_(receipt), cursor_(order) {
  context_.fill_cache = fill_cache;
}

void TableIterator::LeaveBlock() {
  cursor_.SetBlock(nullptr);
  block_.Reset();
}

bool TableIterator::EnterBlock(size_t index) {
  if (block_ && index == block_index_) {
    cursor_.SetBlock(block_.get());
    return true;
  }
  LeaveBlock();
  if (index >= index_.block_count()) return false;
  block_index_ = index;
  const TableReadContext before = context_;
  status_ = fetcher_.FetchForScan(index_.handle(index), context_, ahead_, &block_);
  if (receipt_ != nullptr) {
    receipt_->data_blocks_from_cache += context_.blocks_from_cache - before.blocks_from_cache;
    receipt_->data_blocks_from_file += context_.blocks_from_file - before.blocks_from_file;
    receipt_->bytes_from_file += context_.bytes_from_file - before.bytes_from_file;
  }
  if (!status_.ok()) {
    LeaveBlock();
    return false;
  }
  cursor_.SetBlock(block_.get());
  return true;
}

void TableIterator::CheckCursor() {
  if (!cursor_.damaged()) return;
  status_ = DamageAt("data block: malformed entry", fetcher_.table().file_name,
                     index_.handle(block_index_));
  LeaveBlock();
}

bool TableIterator::PassOver() {
  if (!damage_sink_ || !absl::IsDataLoss(status_)) return false;
  damage_sink_(block_index_, status_);
  status_ = absl::OkStatus();
  return true;
}

void TableIterator::SkipForward() {
  CheckCursor();
  while (status_.ok() ? block_ && !cursor_.Valid() : PassOver()) {
    if (EnterBlock(block_index_ + 1)) {
      cursor_.SeekToFirst();
    } else if (status_.ok()) {
      return;
    }
    CheckCursor();
  }
}

void TableIterator::SkipBackward() {
  CheckCursor();
  while (status_.ok() && block_ && !cursor_.Valid()) {
    if (block_index_ == 0) {
      LeaveBlock();
      return;
    }
    if (!EnterBlock(block_index_ - 1)) return;
    cursor_.SeekToLast();
    CheckCursor();
  }
}

void TableIterator::SeekToFirst() {
  status_ = absl::OkStatus();
  if (EnterBlock(0)) cursor_.SeekToFirst();
  SkipForward();
}

void TableIterator::SeekToLast() {
  status_ = absl::OkStatus();
  if (!EnterBlock(index_.block_count() - 1)) return;
  cursor_.SeekToLast();
  SkipBackward();
}

void TableIterator::Seek(std::string_view internal_key) {
  SILTSTONE_DCHECK(internal_key.size() >= kTrailerBytes);
  status_ = absl::OkStatus();
  if (receipt_ != nullptr) ++receipt_->index_searches;
  if (!EnterBlock(index_.Find(ExtractUserKey(internal_key), ExtractTrailer(internal_key)))) return;
  cursor_.Seek(internal_key);
  SkipForward();
}

void TableIterator::SeekForPrev(std::string_view internal_key) {
  SILTSTONE_DCHECK(internal_key.size() >= kTrailerBytes);
  status_ = absl::OkStatus();
  if (receipt_ != nullptr) ++receipt_->index_searches;
  const size_t found = index_.Find(ExtractUserKey(internal_key), ExtractTrailer(internal_key));
  if (found == index_.block_count()) {
    SeekToLast();
    return;
  }
  if (!EnterBlock(found)) return;
  cursor_.Seek(internal_key);
  if (cursor_.Valid()) {
    if (order_.CompareInternalKeys(cursor_.key(), internal_key) > 0) cursor_.Prev();
  } else if (!cursor_.damaged()) {
    cursor_.SeekToLast();
  }
  SkipBackward();
}

void TableIterator::Next() {
  SILTSTONE_DCHECK(Valid());
  cursor_.Next();
  SkipForward();
}

void TableIterator::Prev() {
  SILTSTONE_DCHECK(Valid());
  cursor_.Prev();
  SkipBackward();
}

}  // namespace siltstone

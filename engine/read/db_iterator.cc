#include "engine/read/db_iterator.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "engine/read/read_counters.h"

namespace siltstone {
namespace {

// Versions of one key that are passed step by step before a seek passes the rest.
constexpr int kStepsBeforeSeek = 8;

// The places before and behind every version of a user key.
constexpr uint64_t kTrailerBeforeAll = SeekTrailer(kMaxSequenceNumber);
constexpr uint64_t kTrailerBehindAll = 0;

bool IsValue(uint64_t trailer) {
  return static_cast<ValueType>(trailer & 0xff) == ValueType::kValue;
}

// What the iterator stands at, and where the source is meanwhile.
enum class Position {
  kNowhere,
  kAtEntry,  // the source stands at the entry shown
  kBefore,   // the source stands before every visible version of key_, or at no entry; the entry
             // shown is a copy
};

class DbIterator final : public Iterator {
 public:
  explicit DbIterator(DbIteratorOptions options)
      : order_(options.order),
        sequence_(options.sequence),
        counters_(options.counters),
        receipt_(options.receipt),
        lower_(std::move(options.lower)),
        upper_(std::move(options.upper)),
        keeper_(std::move(options.keeper)),
        source_cost_(std::move(options.source_cost)),
        source_(std::move(options.source)) {
    if (options.prefix) NarrowTo(*options.prefix);
    range_is_empty_ = lower_ && upper_ && order_.CompareUserKeys(*lower_, *upper_) >= 0;
    Count(kIteratorsCreated, 1);
    Settle();
  }

  bool Valid() const override { return position_ != Position::kNowhere; }
  absl::Status status() const override { return status_; }

  void SeekToFirst() override {
    if (BeginSeek()) SeekForward(lower_);
    Settle();
  }
  void SeekToLast() override {
    if (BeginSeek()) SeekBackward(std::nullopt);
    Settle();
  }
  void Seek(std::string_view target) override {
    if (BeginSeek() && !AtOrAboveUpper(target)) SeekForward(BelowLower(target) ? *lower_ : target);
    Settle();
  }
  void SeekForPrev(std::string_view target) override {
    if (BeginSeek() && !BelowLower(target)) {
      SeekBackward(AtOrAboveUpper(target) ? std::nullopt : std::optional(target));
    }
    Settle();
  }

  void Next() override;
  void Prev() override;

  std::string_view key() const override {
    SILTSTONE_DCHECK(Valid());
    return position_ == Position::kAtEntry ? ExtractUserKey(source_->key()) : key_;
  }
  std::string_view value() const override {
    SILTSTONE_DCHECK(Valid());
    return position_ == Position::kAtEntry ? source_->value() : value_;
  }

 private:
  enum class Walked { kToAValue, kNothingVisible, kFailed };

  // Construction and bookkeeping.
  void NarrowTo(const std::string& prefix);
  bool BeginSeek();
  void Settle();
  void Count(EngineCounter counter, uint64_t n) {
    if (counters_ != nullptr) counters_->Add(counter, n);
  }

  // Bounds.
  bool BelowLower(std::string_view key) const {
    return lower_ && order_.CompareUserKeys(key, *lower_) < 0;
  }
  bool AtOrAboveUpper(std::string_view key) const {
    return upper_ && order_.CompareUserKeys(key, *upper_) >= 0;
  }

  // Moves of the source.
  void SeekForward(std::optional<std::string_view> first);
  void SeekBackward(std::optional<std::string_view> last);
  void SeekSource(std::string_view user_key, uint64_t trailer) {
    target_.clear();
    AppendInternalKey(&target_, user_key, trailer);
    source_->Seek(target_);
  }
  void SeekSourceForPrev(std::string_view user_key, uint64_t trailer) {
    target_.clear();
    AppendInternalKey(&target_, user_key, trailer);
    source_->SeekForPrev(target_);
  }
  bool SourceIsAt(std::string_view user_key) const {
    return source_->Valid() && ExtractUserKey(source_->key()) == user_key;
  }
  void PassKeyForward();
  void PassKeyBackward();
  void FindForward();
  int PassUnseen(std::string_view user_key, int unseen);
  void FindBackward();
  Walked WalkToNewestVisible();
  Walked SeekToNewestVisible();
  Walked FailWalk();

  const KeyOrder order_;
  const SequenceNumber sequence_;
  EngineCounters* const counters_;
  ReadReceipt* const receipt_;
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
  bool range_is_empty_ = false;

  // Destroyed from the last to the first.
  const std::shared_ptr<void> keeper_;
  const std::unique_ptr<ReadReceipt> source_cost_;
  const std::unique_ptr<InternalIterator> source_;

  Position position_ = Position::kNowhere;
  absl::Status status_;
  std::string key_;     // the key being passed, or shown in kBefore
  std::string value_;   // shown in kBefore
  std::string target_;  // of seeks of the source
};

void DbIterator::NarrowTo(const std::string& prefix) {
  if (!lower_ || order_.CompareUserKeys(*lower_, prefix) < 0) lower_ = prefix;
  std::optional<std::string> end = PrefixSuccessor(prefix);
  if (end && (!upper_ || order_.CompareUserKeys(*end, *upper_) < 0)) upper_ = std::move(end);
}

// False when there is nothing to look for.
bool DbIterator::BeginSeek() {
  Count(kIteratorSeeks, 1);
  status_ = absl::OkStatus();
  position_ = Position::kNowhere;
  return !range_is_empty_;
}

// At the end of every call: passes on what the source's moves cost. The figures are exact between
// calls.
void DbIterator::Settle() {
  if (source_cost_ == nullptr) return;
  ReadReceipt& cost = *source_cost_;
  if ((cost.index_searches | cost.data_blocks_from_cache | cost.data_blocks_from_file |
       cost.memtables_considered | cost.tables_considered) == 0) {
    return;
  }
  RecordReadCost(ReadCost::Of(cost), counters_, receipt_);
  cost.Clear();
}

void DbIterator::Next() {
  if (!Valid()) return;
  Count(kIteratorSteps, 1);
  if (position_ == Position::kAtEntry) {
    key_.assign(ExtractUserKey(source_->key()));
    source_->Next();
    PassKeyForward();
  } else {
    SeekSource(key_, kTrailerBehindAll);
    PassKeyForward();
  }
  FindForward();
  Settle();
}

void DbIterator::Prev() {
  if (!Valid()) return;
  Count(kIteratorSteps, 1);
  if (position_ == Position::kAtEntry) {
    key_.assign(ExtractUserKey(source_->key()));
    SeekSourceForPrev(key_, kTrailerBeforeAll);
  }
  PassKeyBackward();
  FindBackward();
  Settle();
}

// `first`: the first key wanted, within the bounds; nullopt: the first of all.
void DbIterator::SeekForward(std::optional<std::string_view> first) {
  if (first) {
    SeekSource(*first, kTrailerBeforeAll);
  } else {
    source_->SeekToFirst();
  }
  FindForward();
}

// `last`: the last key wanted, below the upper bound; nullopt: the last one below the bound.
void DbIterator::SeekBackward(std::optional<std::string_view> last) {
  if (last) {
    SeekSourceForPrev(*last, kTrailerBehindAll);
  } else if (upper_) {
    SeekSourceForPrev(*upper_, kTrailerBeforeAll);
  } else {
    source_->SeekToLast();
  }
  FindBackward();
}

// From a version of key_ (or behind it) to the first entry of a later key.
void DbIterator::PassKeyForward() {
  for (int steps = 0; SourceIsAt(key_); ++steps) {
    if (steps == kStepsBeforeSeek) {
      SeekSource(key_, kTrailerBehindAll);
    } else {
      source_->Next();
    }
  }
}

// From a version of key_ (or before it) to the last entry of an earlier key.
void DbIterator::PassKeyBackward() {
  for (int steps = 0; SourceIsAt(key_); ++steps) {
    if (steps == kStepsBeforeSeek) {
      SeekSourceForPrev(key_, kTrailerBeforeAll);
    } else {
      source_->Prev();
    }
  }
}

// From the first entry of a key: to the first key at or behind it with a visible value.
void DbIterator::FindForward() {
  position_ = Position::kNowhere;
  int unseen = 0;  // versions of key_ above the sequence number, met in a row
  while (source_->Valid()) {
    const std::string_view user_key = ExtractUserKey(source_->key());
    if (AtOrAboveUpper(user_key)) return;
    const uint64_t trailer = ExtractTrailer(source_->key());
    if (TrailerSequence(trailer) > sequence_) {
      unseen = PassUnseen(user_key, unseen);
      continue;
    }
    if (IsValue(trailer)) {
      position_ = Position::kAtEntry;
      return;
    }
    unseen = 0;
    key_.assign(user_key);
    source_->Next();
    PassKeyForward();
  }
  status_ = source_->status();
}

// One step past a version above the sequence number, `unseen` of the same key having been passed
// just before.
int DbIterator::PassUnseen(std::string_view user_key, int unseen) {
  if (unseen == 0 || user_key != key_) {
    unseen = 0;
    key_.assign(user_key);
  }
  if (unseen == kStepsBeforeSeek) {
    SeekSource(key_, SeekTrailer(sequence_));
    return 0;
  }
  source_->Next();
  return unseen + 1;
}

// From the last entry of a key: to the last key at or before it with a visible value.
void DbIterator::FindBackward() {
  position_ = Position::kNowhere;
  while (source_->Valid()) {
    const std::string_view user_key = ExtractUserKey(source_->key());
    if (BelowLower(user_key)) return;
    key_.assign(user_key);
    const Walked walked = WalkToNewestVisible();
    if (walked == Walked::kToAValue) return;
    if (walked == Walked::kFailed) return;
    PassKeyBackward();
  }
  status_ = source_->status();
}

// The source stands at the oldest version of key_. Shows the newest visible version if that is a
// value. Where there are many versions, a seek finds it instead of steps.
DbIterator::Walked DbIterator::WalkToNewestVisible() {
  bool is_value = false;
  for (int steps = 0; SourceIsAt(key_); ++steps) {
    const uint64_t trailer = ExtractTrailer(source_->key());
    if (TrailerSequence(trailer) > sequence_) break;
    if (steps == kStepsBeforeSeek) return SeekToNewestVisible();
    is_value = IsValue(trailer);
    if (is_value) value_.assign(source_->value());
    source_->Prev();
  }
  if (!source_->status().ok()) return FailWalk();
  if (!is_value) return Walked::kNothingVisible;
  position_ = Position::kBefore;
  return Walked::kToAValue;
}

// REQUIRES: key_ has a visible version.
DbIterator::Walked DbIterator::SeekToNewestVisible() {
  SeekSource(key_, SeekTrailer(sequence_));
  if (!SourceIsAt(key_)) return FailWalk();
  if (IsValue(ExtractTrailer(source_->key()))) {
    position_ = Position::kAtEntry;
    return Walked::kToAValue;
  }
  SeekSourceForPrev(key_, kTrailerBeforeAll);
  return Walked::kNothingVisible;
}

DbIterator::Walked DbIterator::FailWalk() {
  status_ = source_->status();
  // A source that loses an entry between two seeks is out of order.
  if (status_.ok())
    status_ = absl::InternalError("a version of a key was met and then not found again");
  return Walked::kFailed;
}

// Immutable.
class ErrorIterator final : public Iterator {
 public:
  explicit ErrorIterator(absl::Status status) : status_(std::move(status)) {
    SILTSTONE_DCHECK(!status_.ok());
  }
  bool Valid() const override { return false; }
  void SeekToFirst() override {}
  void SeekToLast() override {}
  void Seek(std::string_view) override {}
  void SeekForPrev(std::string_view) override {}
  void Next() override {}
  void Prev() override {}
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  absl::Status status() const override { return status_; }

 private:
  const absl::Status status_;
};

}  // namespace

std::unique_ptr<Iterator> NewDbIterator(DbIteratorOptions options) {
  if (options.prefix && !options.order.bytewise()) {
    return NewErrorIterator(
        absl::InvalidArgumentError("ReadOptions::prefix is set: it needs the bytewise comparator, "
                                   "and this database has another"));
  }
  return std::make_unique<DbIterator>(std::move(options));
}

std::unique_ptr<Iterator> NewErrorIterator(absl::Status status) {
  return std::make_unique<ErrorIterator>(std::move(status));
}

std::optional<std::string> PrefixSuccessor(std::string_view prefix) {
  const size_t last = prefix.find_last_not_of('\xff');
  if (last == std::string_view::npos) return std::nullopt;
  std::string successor(prefix.substr(0, last + 1));
  successor.back() = static_cast<char>(static_cast<unsigned char>(successor.back()) + 1);
  return successor;
}

}  // namespace siltstone

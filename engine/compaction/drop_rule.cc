#include "engine/compaction/drop_rule.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace siltstone {

DropRule::DropRule(KeyOrder order, std::vector<SequenceNumber> snapshots,
                   std::function<bool(std::string_view)> nothing_beneath)
    : order_(order),
      snapshots_(std::move(snapshots)),
      nothing_beneath_(std::move(nothing_beneath)) {
  SILTSTONE_DCHECK(std::is_sorted(snapshots_.begin(), snapshots_.end()));
}

size_t DropRule::StripeOf(SequenceNumber sequence) const {
  return static_cast<size_t>(std::lower_bound(snapshots_.begin(), snapshots_.end(), sequence) -
                             snapshots_.begin());
}

bool DropRule::ShouldDrop(std::string_view internal_key) {
  const std::string_view user_key = ExtractUserKey(internal_key);
  const uint64_t trailer = ExtractTrailer(internal_key);
  const size_t stripe = StripeOf(TrailerSequence(trailer));
  const bool same_key = has_key_ && order_.CompareUserKeys(user_key, user_key_) == 0;
  if (same_key && stripe == stripe_) return true;
  if (!same_key) user_key_.assign(user_key);
  has_key_ = true;
  stripe_ = stripe;
  const bool tombstone = static_cast<ValueType>(trailer & 0xff) == ValueType::kDeletion;
  // Of the lowest stripe no older version is kept by this job: only what lies beneath could come to light.
  return tombstone && stripe == 0 && nothing_beneath_(user_key);
}

}  // namespace siltstone

#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "siltstone/comparator.h"

// What a database must look like: a std::map, copies of it for snapshots, and a walk over a sorted vector for
// iterators. Slow and plainly right.

namespace siltstone {

struct ModelLess {
  const Comparator* comparator;
  bool operator()(std::string_view a, std::string_view b) const {
    return comparator->Compare(a, b) < 0;
  }
  using is_transparent = void;
};

using ModelMap = std::map<std::string, std::string, ModelLess>;

// The present state; copied only when somebody holds a former one. Single-threaded.
class ModelState {
 public:
  explicit ModelState(const Comparator* comparator)
      : map_(std::make_shared<ModelMap>(ModelLess{comparator})) {}

  const ModelMap& map() const { return *map_; }
  std::shared_ptr<const ModelMap> Freeze() const { return map_; }

  void Put(std::string_view key, std::string_view value) {
    Writable().insert_or_assign(std::string(key), std::string(value));
  }
  void Delete(std::string_view key) {
    ModelMap& map = Writable();
    const auto found = map.find(key);
    if (found != map.end()) map.erase(found);
  }

 private:
  ModelMap& Writable() {
    if (map_.use_count() > 1) map_ = std::make_shared<ModelMap>(*map_);
    return *map_;
  }

  std::shared_ptr<ModelMap> map_;
};

struct ModelBounds {
  std::optional<std::string> lower;
  std::optional<std::string> upper;
  std::optional<std::string> prefix;
};

// Walks one state within bounds. Single-threaded.
class ModelIterator {
 public:
  ModelIterator(std::shared_ptr<const ModelMap> state, const ModelBounds& bounds)
      : state_(std::move(state)) {
    const ModelLess less = state_->key_comp();
    for (const auto& [key, value] : *state_) {
      if (bounds.lower.has_value() && less(key, *bounds.lower)) continue;
      if (bounds.upper.has_value() && !less(key, *bounds.upper)) continue;
      if (bounds.prefix.has_value() && !key.starts_with(*bounds.prefix)) continue;
      entries_.emplace_back(key, value);
    }
    position_ = entries_.size();
  }

  bool Valid() const { return position_ < entries_.size(); }
  std::string_view key() const { return entries_[position_].first; }
  std::string_view value() const { return entries_[position_].second; }

  void SeekToFirst() { position_ = 0; }
  void SeekToLast() { position_ = entries_.empty() ? 0 : entries_.size() - 1; }
  void Seek(std::string_view target) { position_ = CountBefore(target, /*or_at=*/false); }
  void SeekForPrev(std::string_view target) {
    const size_t count = CountBefore(target, /*or_at=*/true);
    position_ = count == 0 ? entries_.size() : count - 1;
  }
  // Nothing happens where the iterator is not valid.
  void Next() { position_ += Valid() ? 1 : 0; }
  void Prev() {
    if (Valid()) position_ = position_ == 0 ? entries_.size() : position_ - 1;
  }

 private:
  size_t CountBefore(std::string_view target, bool or_at) const {
    const ModelLess less = state_->key_comp();
    const auto past =
        std::partition_point(entries_.begin(), entries_.end(), [&](const auto& entry) {
          return or_at ? !less(target, entry.first) : less(entry.first, target);
        });
    return static_cast<size_t>(past - entries_.begin());
  }

  std::shared_ptr<const ModelMap> state_;  // holds what the views in entries_ point to
  std::vector<std::pair<std::string_view, std::string_view>> entries_;
  size_t position_ = 0;
};

}  // namespace siltstone

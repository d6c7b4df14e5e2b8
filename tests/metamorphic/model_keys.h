#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "siltstone/comparator.h"

#include "base/random.h"

namespace siltstone {

// A small set of keys that hits the edges: the empty key, NUL and 0xff, long common prefixes, keys that begin other
// keys, long keys. Picks come in phases that favour a window of neighbours, or keep to it, so that tables get
// narrow (then some move down whole, and some overlap only a few others) and one key's versions lie in many tables.
//
// Thread safety: thread-compatible.
class ModelKeys {
 public:
  ModelKeys(size_t count, const Comparator* comparator, Random* random) : random_(*random) {
    keys_ = {"",     std::string(1, '\0'), std::string(2, '\0'),
             "\xff", "\xff\xff",           std::string(9, '\xff')};
    while (keys_.size() < count) keys_.push_back(MakeKey(keys_.size()));
    std::sort(keys_.begin(), keys_.end(), [comparator](const std::string& a, const std::string& b) {
      return comparator->Compare(a, b) < 0;
    });
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    NextPhase();
  }

  // One of the set.
  const std::string& Pick() {
    if (--picks_left_ == 0) NextPhase();
    if (stray_ && random_.OneIn(3)) return keys_[random_.Uniform(keys_.size())];
    return keys_[window_begin_ + random_.Uniform(window_size_)];
  }

  // Mostly one of the set, else something near that was never written.
  std::string PickNear() {
    std::string key = Pick();
    switch (random_.Uniform(12)) {
      case 0:
        key.push_back('\0');
        break;
      case 1:
        key.push_back('\xff');
        break;
      case 2:
        if (!key.empty()) key.pop_back();
        break;
      case 3:
        if (!key.empty()) key.back() = static_cast<char>(key.back() + 1);
        break;
      default:
        break;
    }
    return key;
  }

  size_t size() const { return keys_.size(); }

 private:
  std::string MakeKey(size_t number) {
    static constexpr std::string_view kHeads[] = {
        "", "k", "user:1000:", "user:1001:", "same-prefix-", "12345678", "\xff\xff"};
    std::string key(kHeads[random_.Uniform(7)]);
    switch (random_.Uniform(20)) {
      case 0:
        key.append(300 + random_.Uniform(1200), 'L');
        break;
      case 1:
        key.append(random_.Uniform(6), '\0');
        break;
      case 2:
        key.append(random_.Uniform(6), '\xff');
        break;
      default:
        break;
    }
    if (!random_.OneIn(10)) key += std::to_string(random_.OneIn(2) ? number : random_.Uniform(100));
    return key;
  }

  void NextPhase() {
    picks_left_ = 50 + random_.Uniform(1500);
    stray_ = random_.OneIn(2);
    window_size_ = std::max<size_t>(1, keys_.size() >> random_.Uniform(7));
    window_begin_ = random_.Uniform(keys_.size() - window_size_ + 1);
  }

  Random& random_;
  std::vector<std::string> keys_;
  size_t window_begin_ = 0;
  size_t window_size_ = 1;
  uint64_t picks_left_ = 1;
  bool stray_ = true;  // whether this phase picks outside its window too
};

}  // namespace siltstone

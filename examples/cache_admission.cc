// A cache that admits a block on its second request, so that blocks that are asked for once do not
// push out popular ones.
//
// Remembering every block that was asked for once would take more memory than the cache; a filter
// remembers it in ten bits. A filter fills up: so there are two, and when the newer one is full, it
// takes the place of the older one, which is forgotten.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <siltstone/filter.h>

namespace {

constexpr size_t kCachedBlocks = 500;
constexpr int kRequests = 60'000;

// The blocks used last.
class LruCache {
 public:
  bool Use(uint64_t block) {
    const auto found = places_.find(block);
    if (found == places_.end()) return false;
    order_.splice(order_.begin(), order_, found->second);
    return true;
  }
  void Admit(uint64_t block) {
    order_.push_front(block);
    places_[block] = order_.begin();
    if (order_.size() <= kCachedBlocks) return;
    places_.erase(order_.back());
    order_.pop_back();
  }

 private:
  std::list<uint64_t> order_;
  std::unordered_map<uint64_t, std::list<uint64_t>::iterator> places_;
};

// What has been asked for lately.
class RecentRequests {
 public:
  // True: certainly or probably asked for before. Remembers the request.
  bool SeenBefore(uint64_t block) {
    const std::string key = std::to_string(block);
    if (newer_->MayContain(key) || older_->MayContain(key)) return true;
    if (in_newer_.contains(block)) is_broken_ = true;
    newer_->Add(key);
    in_newer_.insert(block);
    if (newer_->count() >= newer_->capacity()) {
      older_ = std::exchange(newer_, NewFilter());
      in_newer_.clear();
    }
    return false;
  }
  size_t memory_bytes() const { return newer_->memory_bytes() + older_->memory_bytes(); }
  bool is_broken() const { return is_broken_; }

 private:
  static std::unique_ptr<siltstone::BloomFilter> NewFilter() {
    auto filter =
        siltstone::BloomFilter::Create({.capacity = 8 * kCachedBlocks, .fp_chance = 0.01});
    if (!filter.ok()) std::exit(2);
    return *std::move(filter);
  }

  std::unique_ptr<siltstone::BloomFilter> newer_ = NewFilter();
  std::unique_ptr<siltstone::BloomFilter> older_ = NewFilter();
  std::unordered_set<uint64_t> in_newer_;  // only to see that the filter forgets nothing
  bool is_broken_ = false;
};

}  // namespace

int main() {
  LruCache takes_all;
  LruCache takes_second;
  RecentRequests recent;
  std::mt19937_64 random(1);
  int hits_all = 0;
  int hits_second = 0;
  for (int i = 0; i < kRequests; ++i) {
    // Half of the requests go to a thousand popular blocks, half to blocks that are never asked for
    // again.
    const uint64_t block =
        i % 2 == 0 ? random() % 1000 : uint64_t{1'000'000} + static_cast<uint64_t>(i);
    if (takes_all.Use(block))
      ++hits_all;
    else
      takes_all.Admit(block);
    if (takes_second.Use(block))
      ++hits_second;
    else if (recent.SeenBefore(block))
      takes_second.Admit(block);
  }
  std::printf("%d requests, a cache of %zu blocks\n", kRequests, kCachedBlocks);
  std::printf("every block admitted:    %.1f %% hits\n", 100.0 * hits_all / kRequests);
  std::printf("on the second request:   %.1f %% hits, for %zu bytes of filters\n",
              100.0 * hits_second / kRequests, recent.memory_bytes());
  if (recent.is_broken()) std::printf("BROKEN: a filter forgot a block\n");
  return !recent.is_broken() && hits_second > hits_all ? 0 : 1;
}

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/filter_policy.h"
#include "base/hash.h"
#include "filter/table_filter.h"

// Keys of the filter tests, hashed once: "user:0" ... are in the filters, "ghost:0" ... are not.

namespace siltstone {

inline constexpr uint64_t kTestKeySeed = 0x5eed;

inline std::vector<uint64_t> HashNumbered(const std::string& head, uint64_t count) {
  std::vector<uint64_t> hashes;
  hashes.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    hashes.push_back(HashKey(head + std::to_string(i), kTestKeySeed));
  }
  return hashes;
}
inline const std::vector<uint64_t>& UserHashes() {
  static const std::vector<uint64_t>* hashes =
      new std::vector<uint64_t>(HashNumbered("user:", 1'000'000));
  return *hashes;
}
inline const std::vector<uint64_t>& GhostHashes() {
  static const std::vector<uint64_t>* hashes =
      new std::vector<uint64_t>(HashNumbered("ghost:", 1'000'000));
  return *hashes;
}

// The kinds of table filters, for INSTANTIATE_TEST_SUITE_P.
inline constexpr FilterKind kEveryTableFilter[] = {FilterKind::kStandardBloom, FilterKind::kBloom,
                                                   FilterKind::kRibbon};
inline std::string TableFilterTestName(const testing::TestParamInfo<FilterKind>& info) {
  if (info.param == FilterKind::kRibbon) return "Ribbon";
  return info.param == FilterKind::kBloom ? "CacheLine" : "Standard";
}

// The block over the first `count` users.
inline std::string BuildBlock(const FilterOptions& options, uint64_t salt, uint64_t count) {
  std::unique_ptr<FilterBuilder> builder = NewTableFilterPolicy(options)->NewBuilder(salt);
  for (uint64_t i = 0; i < count; ++i) builder->Add(UserHashes()[i]);
  return builder->Finish();
}

}  // namespace siltstone

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/filter.h"

// For tests that hold for every kind of filter of <siltstone/filter.h>.

namespace siltstone {

inline std::vector<Filter::Kind> BuiltKinds() {
  return {Filter::Kind::kStandardBloom, Filter::Kind::kBloom,  Filter::Kind::kRibbon,
          Filter::Kind::kCountingBloom, Filter::Kind::kCuckoo, Filter::Kind::kScalableBloom,
          Filter::Kind::kExact};
}

inline std::string KindTestName(const testing::TestParamInfo<Filter::Kind>& info) {
  std::string name(FilterKindName(info.param));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

// "user:FIRST" and the following ones.
inline std::vector<std::string> NumberedKeys(const std::string& head, uint64_t count,
                                             uint64_t first = 0) {
  std::vector<std::string> keys;
  for (uint64_t i = 0; i < count; ++i) keys.push_back(head + std::to_string(first + i));
  return keys;
}

inline std::unique_ptr<Filter> BuildAny(Filter::Kind kind, const std::vector<std::string>& keys,
                                        const FilterDesign& design = {}) {
  auto filter =
      Filter::Build(kind, std::vector<std::string_view>(keys.begin(), keys.end()), design);
  EXPECT_TRUE(filter.ok()) << filter.status();
  return filter.ok() ? *std::move(filter) : nullptr;
}

}  // namespace siltstone

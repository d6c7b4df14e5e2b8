#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/filter.h"

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"

namespace siltstone::fuzz {

namespace {

void Run(const std::string& input) {
  const absl::StatusOr<std::unique_ptr<Filter>> filter = Filter::Parse(input);
  if (!filter.ok()) return Expect(!filter.status().message().empty(), "a refusal says why");
  Expect((*filter)->predicted_fp_rate() >= 0 && (*filter)->predicted_fp_rate() <= 1,
         "a rate is from 0 to 1");
  Expect((*filter)->fill_ratio() >= 0 && (*filter)->fill_ratio() <= 1,
         "a fill ratio is from 0 to 1");
  Expect(!(*filter)->parameters().empty(), "a filter tells its parameters");
  const std::string again = (*filter)->Serialize();
  const absl::StatusOr<std::unique_ptr<Filter>> twin = Filter::Parse(again);
  Expect(twin.ok(), "what a filter writes can be read");
  Expect((*twin)->Serialize() == again, "and is written the same again");
  for (int i = 0; i < 40; ++i) {
    const std::string key = absl::StrCat("user:", i);
    Expect((*filter)->MayContain(key) == (*twin)->MayContain(key), "the same answers read again");
  }
}

std::vector<std::string> MakeSeeds() {
  std::vector<std::string> keys, seeds;
  for (int i = 0; i < 30; ++i) keys.push_back(absl::StrCat("user:", i));
  const std::vector<std::string_view> views(keys.begin(), keys.end());
  for (int kind = 1; kind <= 7; ++kind) {
    const auto filter =
        Filter::Build(static_cast<Filter::Kind>(kind), views, {.capacity = 40, .fp_chance = 0.01});
    Expect(filter.ok(), "a filter of thirty keys can be built");
    seeds.push_back((*filter)->Serialize());
  }
  return seeds;
}

}  // namespace

const FuzzTarget kFilterFileTarget = {
    .name = "filter_file", .run = Run, .make_seeds = MakeSeeds, .reseal = ResealFilterFile};

}  // namespace siltstone::fuzz

#include <memory>
#include <string>
#include <unordered_set>

#include <gtest/gtest.h>

#include "siltstone/filter.h"

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

TEST(ExactSet, AgreesWithASetOfStrings) {
  Random random(TestSeed());
  auto set = ExactSet::Create();
  std::unordered_set<std::string> model;
  for (int step = 0; step < 30'000; ++step) {
    // Keys of any bytes; half of the steps meet a key that is there.
    const uint64_t number = random.Uniform(20'000);
    const std::string key(reinterpret_cast<const char*>(&number), number % 9);
    ASSERT_EQ(set->MayContain(key), model.contains(key));
    ASSERT_EQ(set->Add(key), model.insert(key).second);
    ASSERT_EQ(set->count(), model.size());
    if (step % 7000 == 0) set = *ExactSet::Parse(set->Serialize());
  }
  for (const std::string& key : model) ASSERT_TRUE(set->MayContain(key));
}

TEST(ExactSet, HoldsTheEmptyKeyAndLongOnes) {
  const auto set = ExactSet::Create(9);
  const std::string keys[] = {"", std::string(1, '\0'), std::string(300, 'x'),
                              std::string(70'000, 'y')};
  for (const std::string& key : keys) {
    EXPECT_FALSE(set->MayContain(key));
    EXPECT_TRUE(set->Add(key));
    EXPECT_FALSE(set->Add(key));
    EXPECT_TRUE(set->MayContain(key));
    EXPECT_TRUE(set->MayContainHash(HashFilterKey(key, 9)));
  }
  EXPECT_FALSE(set->MayContainHash(HashFilterKey("z", 9)));
  EXPECT_EQ(set->capacity(), 0u);
  EXPECT_FALSE(set->overfilled());
  EXPECT_GE(set->memory_bytes(), 70'301u);
}

}  // namespace
}  // namespace siltstone

#include "base/check.h"

#include <string>

#include "absl/status/statusor.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/status_macros.h"

namespace siltstone {
namespace {

absl::StatusOr<int> Halve(int number) {
  SILTSTONE_NEVER(number % 2 != 0, std::string("odd number"));
  return number / 2;
}

absl::Status ReturnEarly(absl::Status first, int* reached) {
  SILTSTONE_RETURN_IF_ERROR(first);
  ++*reached;
  return absl::OkStatus();
}

TEST(CheckDeathTest, CheckNamesThePlaceAndTheCondition) {
  SILTSTONE_CHECK(1 + 1 == 2);
  EXPECT_DEATH(SILTSTONE_CHECK(1 + 1 == 3),
               "check_test.cc:[0-9]+: check does not hold: 1 \\+ 1 == 3");
}

TEST(CheckDeathTest, DcheckIsTestedWhereItIsOn) {
  SILTSTONE_DCHECK(true);
  if (SILTSTONE_DCHECK_IS_ON) {
    EXPECT_DEATH(SILTSTONE_DCHECK(false), "does not hold");
  } else {
    int evaluated = 0;
    SILTSTONE_DCHECK(++evaluated > 0);
    EXPECT_EQ(evaluated, 0);
  }
}

TEST(Never, AnswersWithAnError) {
  EXPECT_EQ(*Halve(4), 2);
  EXPECT_EQ(Halve(3).status(), absl::InternalError("odd number"));
}

TEST(ReturnIfError, ReturnsErrorsOnly) {
  int reached = 0;
  EXPECT_EQ(ReturnEarly(absl::DataLossError("x"), &reached), absl::DataLossError("x"));
  EXPECT_EQ(reached, 0);
  EXPECT_TRUE(ReturnEarly(absl::OkStatus(), &reached).ok());
  EXPECT_EQ(reached, 1);
}

}  // namespace
}  // namespace siltstone

#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace siltstone::check_internal {

void Fail(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "%s:%d: check does not hold: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace siltstone::check_internal

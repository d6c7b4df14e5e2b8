#pragma once

#include "absl/status/status.h"

#include "base/to_absl.h"

// Three words for three meanings:
//   SILTSTONE_CHECK(c)     always on: going on would corrupt the disk or memory. Ends the process.
//   SILTSTONE_DCHECK(c)    proven to hold; tested in debug and sanitizer builds only.
//   SILTSTONE_NEVER(c, m)  believed impossible; when c holds after all, the function returns
//                          absl::InternalError(m).
// Bytes from disk, and arguments of users, are never tested with the first two.

#if !defined(NDEBUG) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SILTSTONE_DCHECK_IS_ON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SILTSTONE_DCHECK_IS_ON 1
#endif
#endif
#ifndef SILTSTONE_DCHECK_IS_ON
#define SILTSTONE_DCHECK_IS_ON 0
#endif

#define SILTSTONE_CHECK(condition)                                       \
  do {                                                                   \
    if (__builtin_expect(!(condition), 0)) {                             \
      ::siltstone::check_internal::Fail(__FILE__, __LINE__, #condition); \
    }                                                                    \
  } while (false)

#if SILTSTONE_DCHECK_IS_ON
#define SILTSTONE_DCHECK(condition) SILTSTONE_CHECK(condition)
#else
#define SILTSTONE_DCHECK(condition)          \
  do {                                       \
    if (false && (condition)) { /* unused */ \
    }                                        \
  } while (false)
#endif

#define SILTSTONE_NEVER(condition, message)                       \
  do {                                                            \
    if (__builtin_expect(static_cast<bool>(condition), 0)) {      \
      return ::absl::InternalError(::siltstone::ToAbsl(message)); \
    }                                                             \
  } while (false)

namespace siltstone::check_internal {

// Writes "FILE:LINE: check does not hold: CONDITION" to stderr and aborts.
[[noreturn]] void Fail(const char* file, int line, const char* condition);

}  // namespace siltstone::check_internal

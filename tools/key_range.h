#pragma once

#include <memory>
#include <string>

#include "siltstone/db.h"

#include "tools/interrupt.h"
#include "tools/verb.h"

namespace CLI {
class App;
}

namespace siltstone::tools {

// The keys that scan, count and export walk over: --prefix, or --from and --to (exclusive).

void AddRangeOptions(CLI::App& app, Arguments& arguments);
void AddHexOption(CLI::App& app, Arguments& arguments);

// Fault of a range: --prefix beside a bound.
Verdict CheckRange(const Arguments& arguments);

// An iterator over the range that stands on its first key, or its last one when the range is reversed.
std::unique_ptr<Iterator> StartOfRange(DB& db, const Arguments& arguments);

// Calls `visit(key, value)` for each key of the range in order, until it answers false, the limit of
// `arguments` is reached, or SIGINT comes (Cancelled).
template <typename Visit>
absl::Status VisitRange(DB& db, const Arguments& arguments, Visit visit) {
  std::unique_ptr<Iterator> it = StartOfRange(db, arguments);
  const uint64_t limit = arguments.limit.value_or(UINT64_MAX);
  for (uint64_t n = 0; n < limit && it->Valid() && !Interrupted(); ++n) {
    if (!visit(it->key(), it->value())) return absl::OkStatus();
    arguments.reverse ? it->Prev() : it->Next();
  }
  return it->status().ok() ? CheckInterrupt() : it->status();
}

}  // namespace siltstone::tools

#pragma once

#include <string>
#include <string_view>

#include "siltstone/statistics.h"

#include "engine/db_shared.h"

namespace siltstone {

// The figures of an open database, as DB::GetStatistics and DB::GetProperty answer them. Thread-safe; no I/O, no
// lock beyond those of the snapshot list and the version keeper. Cost: O(tables).
Statistics CollectStatistics(const DbShared& shared);
std::string PropertyText(const DbShared& shared, std::string_view name);

}  // namespace siltstone

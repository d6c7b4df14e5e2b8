#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that print what a database holds: get, scan, count, export.
const Verb& GetVerb();
const Verb& ScanVerb();
const Verb& CountVerb();
const Verb& ExportVerb();

}  // namespace siltstone::tools

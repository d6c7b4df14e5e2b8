#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// Verbs that make filter files: of keys of an input, of other filter files, of the keys of a
// database.
const Verb& FilterBuildVerb();
const Verb& FilterUnionVerb();
const Verb& FilterExportVerb();

}  // namespace siltstone::tools

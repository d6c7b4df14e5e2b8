#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// What the filters of a database promise and do: by table, by level and in all; with --measure after looking up
// absent keys, with --advise what other chances would cost and save.
const Verb& FiltersVerb();

}  // namespace siltstone::tools

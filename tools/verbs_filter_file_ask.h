#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// Verbs that tell of filters: what one would cost, what a filter file is, and what it answers.
const Verb& FilterPlanVerb();
const Verb& FilterQueryVerb();
const Verb& FilterInfoVerb();

}  // namespace siltstone::tools

#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that look for damage and save what it left: verify and repair.
const Verb& VerifyVerb();
const Verb& RepairVerb();

}  // namespace siltstone::tools

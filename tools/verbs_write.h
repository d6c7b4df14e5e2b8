#pragma once

#include "tools/verb.h"

namespace siltstone::tools {

// The verbs that change a database: put, del, batch, import, compact.
const Verb& PutVerb();
const Verb& DelVerb();
const Verb& BatchVerb();
const Verb& ImportVerb();
const Verb& CompactVerb();

}  // namespace siltstone::tools

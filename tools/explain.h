#pragma once

#include <string>

#include "siltstone/read_receipt.h"

#include "tools/cell.h"
#include "tools/verb.h"

namespace siltstone::tools {

// `kvtool explain KEY`: one point read, told step by step from its receipt.
const Verb& ExplainVerb();

// The receipt of one point read in words, many lines; `found`: the key has a value.
std::string ReceiptInWords(const ReadReceipt& receipt, bool found);
// The same figures as JSON.
Json ReceiptToJson(const ReadReceipt& receipt);

}  // namespace siltstone::tools

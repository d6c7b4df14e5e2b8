#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/verb.h"

namespace siltstone::tools {

// Verbs by the words they are called with: one, or two as in "filter plan".

// The verb that `words` begin with, whose words are taken off; null, and nothing taken, when there
// is none.
const Verb* TakeVerb(std::span<const Verb> verbs, std::vector<std::string>* words);

// The verbs of two words that begin with `word`.
std::vector<const Verb*> VerbsBeginningWith(std::span<const Verb> verbs, std::string_view word);

// The first words, each once, in the order of the verbs.
std::vector<std::string> FirstWords(std::span<const Verb> verbs);

// The verb whose name is at most two slips away from `name`, such as two letters that changed
// places.
std::optional<std::string> NearestVerb(std::span<const Verb> verbs, std::string_view name);

}  // namespace siltstone::tools

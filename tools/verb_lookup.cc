#include "tools/verb_lookup.h"

#include <algorithm>
#include <utility>

namespace siltstone::tools {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row[b.size()];
}

}  // namespace

const Verb* TakeVerb(std::span<const Verb> verbs, std::vector<std::string>* words) {
  std::string name;
  for (size_t taken = 1; taken <= std::min<size_t>(2, words->size()); ++taken) {
    if (taken > 1) name += ' ';
    name += (*words)[taken - 1];
    const auto verb = std::find_if(verbs.begin(), verbs.end(),
                                   [&](const Verb& candidate) { return candidate.name == name; });
    if (verb == verbs.end()) continue;
    // One word that holds the space is no verb.
    if (name.find(' ') != std::string::npos && taken == 1) return nullptr;
    words->erase(words->begin(), words->begin() + static_cast<ptrdiff_t>(taken));
    return &*verb;
  }
  return nullptr;
}

std::vector<const Verb*> VerbsBeginningWith(std::span<const Verb> verbs, std::string_view word) {
  std::vector<const Verb*> found;
  for (const Verb& verb : verbs) {
    const size_t space = verb.name.find(' ');
    if (space != std::string_view::npos && verb.name.substr(0, space) == word) {
      found.push_back(&verb);
    }
  }
  return found;
}

std::vector<std::string> FirstWords(std::span<const Verb> verbs) {
  std::vector<std::string> words;
  for (const Verb& verb : verbs) {
    std::string word(verb.name.substr(0, verb.name.find(' ')));
    if (std::find(words.begin(), words.end(), word) == words.end()) {
      words.push_back(std::move(word));
    }
  }
  return words;
}

std::optional<std::string> NearestVerb(std::span<const Verb> verbs, std::string_view name) {
  const auto distance = [&](const Verb& verb) { return EditDistance(name, verb.name); };
  const auto nearest =
      std::min_element(verbs.begin(), verbs.end(),
                       [&](const Verb& a, const Verb& b) { return distance(a) < distance(b); });
  // Not a word of which nothing is left.
  if (nearest == verbs.end() || distance(*nearest) > 2 ||
      distance(*nearest) >= nearest->name.size()) {
    return std::nullopt;
  }
  return std::string(nearest->name);
}

}  // namespace siltstone::tools

#include <algorithm>
#include <utility>

#include "tests/metamorphic/history_run.h"

namespace siltstone {
namespace {

History Without(const History& history, size_t begin, size_t end) {
  History rest(history.begin(), history.begin() + static_cast<ptrdiff_t>(begin));
  rest.insert(rest.end(), history.begin() + static_cast<ptrdiff_t>(end), history.end());
  return rest;
}

}  // namespace

History Shrink(History history, const std::function<bool(const History&)>& fails) {
  size_t parts = 2;
  while (history.size() >= 2) {
    const size_t length = (history.size() + parts - 1) / parts;
    bool shorter = false;
    for (size_t begin = 0; begin < history.size(); begin += length) {
      History rest = Without(history, begin, std::min(begin + length, history.size()));
      if (!fails(rest)) continue;
      history = std::move(rest);
      parts = std::max<size_t>(parts - 1, 2);
      shorter = true;
      break;
    }
    if (shorter) continue;
    if (length == 1) break;
    parts = std::min(parts * 2, history.size());
  }
  return history;
}

}  // namespace siltstone

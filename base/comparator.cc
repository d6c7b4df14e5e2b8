#include "siltstone/comparator.h"

namespace siltstone {
namespace {

class Bytewise final : public Comparator {
 public:
  // std::char_traits<char> compares as unsigned bytes.
  int Compare(std::string_view a, std::string_view b) const override { return a.compare(b); }
  std::string_view name() const override { return "siltstone.bytewise"; }
};

}  // namespace

const Comparator* BytewiseComparator() {
  static const Comparator* const comparator = new Bytewise;
  return comparator;
}

}  // namespace siltstone

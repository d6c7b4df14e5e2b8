#include "engine/read/view_iterator.h"

#include <utility>
#include <vector>

#include "engine/read/merging_iterator.h"

namespace siltstone {

std::unique_ptr<InternalIterator> NewViewIterator(const ReadView& view, KeyOrder order,
                                                  const RunIteratorOptions& options) {
  std::vector<std::unique_ptr<InternalIterator>> children;
  children.push_back(view.active->NewIterator());
  for (const std::shared_ptr<MemTable>& memtable : view.immutables) {
    children.push_back(memtable->NewIterator());
  }
  if (options.receipt != nullptr) options.receipt->memtables_considered += children.size();
  for (int level = 0; level < kLevelCount; ++level) {
    for (const Run& run : view.version->level(level).runs) {
      children.push_back(NewRunIterator(order, run.tables(), options));
    }
  }
  return NewMergingIterator(order, std::move(children));
}

}  // namespace siltstone

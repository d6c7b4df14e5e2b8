#include "engine/manifest/table.h"

#include <utility>

#include "sstable/table_reader.h"

namespace siltstone {

Table::Table(TableMeta table_meta, std::unique_ptr<TableReader> table_reader, int level,
             ObsoleteSink sink)
    : meta(std::move(table_meta)),
      reader(std::move(table_reader)),
      sink_(std::move(sink)),
      level_(level) {}

Table::~Table() {
  // The last shared_ptr orders this after every MarkObsolete.
  if (sink_ && obsolete_.load(std::memory_order_relaxed)) sink_(meta.FileName());
}

}  // namespace siltstone

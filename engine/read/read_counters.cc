#include "engine/read/read_counters.h"

namespace siltstone {
namespace {

void Count(EngineCounters& counters, EngineCounter counter, uint64_t n) {
  if (n != 0) counters.Add(counter, n);
}

}  // namespace

ReadCost ReadCost::Of(const ReadReceipt& receipt) {
  return {.memtables_considered = receipt.memtables_considered,
          .tables_considered = receipt.tables_considered,
          .filters_checked = receipt.filters_checked,
          .filter_negatives = receipt.filter_negatives,
          .filter_false_positives = receipt.filter_false_positives,
          .index_searches = receipt.index_searches,
          .data_blocks_from_cache = receipt.data_blocks_from_cache,
          .data_blocks_from_file = receipt.data_blocks_from_file,
          .bytes_from_file = receipt.bytes_from_file};
}

void RecordReadCost(const ReadCost& cost, EngineCounters* counters, ReadReceipt* receipt) {
  if (counters != nullptr) {
    Count(*counters, kFiltersChecked, cost.filters_checked);
    Count(*counters, kFilterNegatives, cost.filter_negatives);
    Count(*counters, kFilterTruePositives, cost.filter_true_positives);
    Count(*counters, kFilterFalsePositives, cost.filter_false_positives);
    Count(*counters, kIndexSearches, cost.index_searches);
    Count(*counters, kBlockCacheHits, cost.data_blocks_from_cache);
    Count(*counters, kBlockCacheMisses, cost.data_blocks_from_file);
    Count(*counters, kBlocksRead, cost.data_blocks_from_file);
    Count(*counters, kBytesRead, cost.bytes_from_file);
  }
  if (receipt == nullptr) return;
  receipt->memtables_considered += cost.memtables_considered;
  receipt->tables_considered += cost.tables_considered;
  receipt->filters_checked += cost.filters_checked;
  receipt->filter_negatives += cost.filter_negatives;
  receipt->filter_false_positives += cost.filter_false_positives;
  receipt->index_searches += cost.index_searches;
  receipt->data_blocks_from_cache += cost.data_blocks_from_cache;
  receipt->data_blocks_from_file += cost.data_blocks_from_file;
  receipt->bytes_from_file += cost.bytes_from_file;
}

}  // namespace siltstone

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"

#include "engine/compaction/job_result.h"
#include "engine/compaction/table_store.h"
#include "engine/manifest/version.h"
#include "memtable/memtable.h"

namespace siltstone {

// Writes memtables to one new level-0 table. Versions that no snapshot can tell apart from a newer one are
// dropped on the way; tombstones are kept, since older tables may hold the key.
//
// `base`: the version the table will join. `memtables`: closed for writing; kept alive by the caller. `snapshots`: ascending. The edit adds the
// table and names the largest sequence number; what becomes of the logs is the caller's matter.
// Thread-safe. Cost: one pass over the entries, one sync of the table and one of the directory.
absl::StatusOr<JobResult> RunFlush(const TableStore& store, const Version& base,
                                   std::span<const std::shared_ptr<MemTable>> memtables,
                                   const std::vector<SequenceNumber>& snapshots);

}  // namespace siltstone

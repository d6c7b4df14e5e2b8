#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/internal_key.h"
#include "engine/manifest/manifest_state.h"
#include "engine/manifest/table.h"
#include "engine/manifest/table_meta.h"
#include "engine/manifest/version_edit.h"
#include "sstable/table_reader.h"  // a Table cannot be made without

namespace siltstone::manifest_test {

struct SequenceRange {
  SequenceNumber smallest = 1;
  SequenceNumber largest = 9;
};

// A plausible table of epoch 1 with the user keys from `smallest` to `largest`.
TableMeta MakeMeta(uint64_t number, std::string_view smallest, std::string_view largest,
                   SequenceRange sequences = {});

// The same as a Table that is not open.
std::shared_ptr<Table> MakeTable(uint64_t number, std::string_view smallest,
                                 std::string_view largest, SequenceRange sequences = {});

// The first edit of a manifest of epoch 1 under the bytewise comparator.
VersionEdit FirstEdit();

// An edit with everything in it, more than once where that is allowed.
VersionEdit FullEdit();

// The state after FirstEdit.
ManifestState FirstState();

// The order opposite to byte order.
const Comparator* ReverseComparator();

// A user key of few distinct bytes, so that keys share prefixes, are prefixes of one another, and are empty at times.
std::string RandomKey(uint64_t random_bits);

}  // namespace siltstone::manifest_test

#pragma once

#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"

#include "siltstone/write_batch.h"

#include "base/internal_key.h"

// The payload of a WAL record: the batches of one write group, one behind the other.
//
// Format (FORMAT.md, "Batch"): for each batch fixed32 number of entries, fixed32 bytes of the
// entries, the entries. Each entry takes the next sequence number; the record holds the first.

namespace siltstone {

// REQUIRES: batch.size_bytes() <= WriteBatch::kMaxSizeBytes.
void AppendBatch(std::string* payload, const WriteBatch& batch);

using GroupEntryVisitor = absl::FunctionRef<void(SequenceNumber sequence, ValueType type,
                                                 std::string_view key, std::string_view value)>;

// Calls `visit` for each entry, in the order they were written; the value of a deletion is empty.
// Payloads may be any bytes: all of it is checked before the first call, and DataLoss says what is
// malformed and where in the payload. Cost: two passes, no allocation.
absl::Status DecodeGroup(std::string_view payload, SequenceNumber first_sequence,
                         GroupEntryVisitor visit);

}  // namespace siltstone

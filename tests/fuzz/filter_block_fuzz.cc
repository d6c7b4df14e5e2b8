#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/hash.h"
#include "filter/filter_block.h"
#include "filter/table_filter.h"

// The decoder of filter blocks: any bytes are refused with a message, or make a filter that is safe to ask, whose
// answers are the same by every path of this machine and one by one as in batches.

namespace siltstone {
namespace {

std::string WithRightChecksum(std::string block) {
  if (block.size() < kFilterChecksumBytes) return block;
  const size_t covered = block.size() - kFilterChecksumBytes;
  StoreFixed64(&block[covered], Checksum64({block.data(), covered}));
  return block;
}

void OpenAndAsk(const std::string& block) {
  constexpr size_t kAsked = 70;
  uint64_t hashes[kAsked];
  bool first[kAsked], answers[kAsked];
  for (size_t i = 0; i < kAsked; ++i) hashes[i] = i % 8 == 7 ? i - 7 : Remix(i);
  bool have_first = false;
  for (const CpuFeatures& cpu : CpuLevels()) {
    const auto reader =
        NewTableFilterPolicy({FilterKind::kBloom, 0.01, cpu})->OpenReader(std::string(block));
    if (!reader.ok()) {
      SILTSTONE_CHECK(!have_first && !reader.status().message().empty());
      continue;
    }
    const FilterReader& filter = **reader;
    SILTSTONE_CHECK(filter.predicted_fp_rate() >= 0 && filter.predicted_fp_rate() <= 1);
    SILTSTONE_CHECK(filter.memory_bytes() <= block.size() + 1024);
    filter.MayContain(hashes, answers);
    for (size_t i = 0; i < kAsked; ++i) {
      filter.Prefetch(hashes[i]);
      SILTSTONE_CHECK(filter.MayContain(hashes[i]) == answers[i]);
    }
    if (have_first) SILTSTONE_CHECK(std::memcmp(first, answers, kAsked) == 0);
    std::memcpy(first, answers, kAsked);
    have_first = true;
  }
}

}  // namespace
}  // namespace siltstone

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string block(reinterpret_cast<const char*>(data), size);
  siltstone::OpenAndAsk(block);
  // No mutation finds a checksum: the second time it is made right.
  siltstone::OpenAndAsk(siltstone::WithRightChecksum(block));
  return 0;
}

#include <cstdint>
#include <string>
#include <vector>

#include "siltstone/write_batch.h"

#include "engine/write/batch_codec.h"
#include "tests/fuzz/fuzz_target.h"

namespace siltstone::fuzz {

namespace {

constexpr SequenceNumber kFirst = 1000;

void Run(const std::string& input) {
  uint64_t visited = 0, bytes = 0;
  const absl::Status status = DecodeGroup(
      input, kFirst,
      [&](SequenceNumber sequence, ValueType type, std::string_view key, std::string_view value) {
        Expect(sequence == kFirst + visited, "entries have sequence numbers in turn");
        Expect(type == ValueType::kValue || value.empty(), "a deletion has no value");
        ++visited;
        // Every byte is looked at, so that a sanitizer sees a view that leaves the input.
        for (const char c : key) bytes += static_cast<unsigned char>(c) != 0;
        for (const char c : value) bytes += static_cast<unsigned char>(c) != 0;
      });
  Expect(status.ok() || visited == 0, "a refused group gives out no entry");
  Expect(status.ok() || !status.message().empty(), "a refusal says why");
  Expect(bytes <= input.size(), "entries lie beside one another in the group");
}

std::vector<std::string> MakeSeeds() {
  std::string one, group;
  WriteBatch batch;
  batch.Put("key", "value");
  AppendBatch(&one, batch);
  batch.Delete(std::string("\0\xff", 2));
  batch.Put("", std::string(300, 'v'));
  AppendBatch(&group, batch);
  AppendBatch(&group, WriteBatch());
  AppendBatch(&group, batch);
  return {"", one, group};
}

}  // namespace

const FuzzTarget kBatchTarget = {.name = "batch", .run = Run, .make_seeds = MakeSeeds};

}  // namespace siltstone::fuzz

#include "engine/recovery/options_check.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include "filter/table_filter.h"

namespace siltstone {
namespace {

class FaultList {
 public:
  // Remembers the fault unless `legal`.
  template <typename Value>
  void Expect(bool legal, const char* option, const Value& value, const char* range) {
    if (!legal) faults_.push_back(absl::StrCat(option, " is ", value, ", must be ", range));
  }
  void ExpectNot(bool wrong, const char* text) {
    if (wrong) faults_.push_back(text);
  }
  absl::Status ToStatus() const {
    if (faults_.empty()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("options: ", absl::StrJoin(faults_, "; ")));
  }

 private:
  std::vector<std::string> faults_;
};

void CheckSizes(const Options& options, FaultList* faults) {
  faults->Expect(options.write_buffer_size_bytes >= kMinWriteBufferBytes &&
                     options.write_buffer_size_bytes <= kMaxWriteBufferBytes,
                 "write_buffer_size_bytes", options.write_buffer_size_bytes, "4096 to 4294967296");
  faults->Expect(options.memory_budget_bytes >= kMinMemoryBudgetBytes &&
                     options.memory_budget_bytes / 2 >= options.write_buffer_size_bytes,
                 "memory_budget_bytes", options.memory_budget_bytes,
                 "at least 65536 and at least twice write_buffer_size_bytes");
  faults->Expect(options.block_size_bytes >= kMinBlockSizeBytes &&
                     options.block_size_bytes <= kMaxBlockSizeBytes,
                 "block_size_bytes", options.block_size_bytes, "64 to 16777216");
  faults->Expect(
      options.max_background_jobs >= 1 && options.max_background_jobs <= kMaxBackgroundJobs,
      "max_background_jobs", options.max_background_jobs, "1 to 64");
}

void CheckChoices(const Options& options, FaultList* faults) {
  faults->Expect(
      options.compression == Compression::kNone || options.compression == Compression::kLz4,
      "compression", static_cast<int>(options.compression), "kNone (0) or kLz4 (1)");
  faults->Expect(options.durability == Durability::kSync ||
                     options.durability == Durability::kBuffered ||
                     options.durability == Durability::kNone,
                 "durability", static_cast<int>(options.durability), "kSync, kBuffered or kNone");
  faults->Expect(options.filter_kind == FilterKind::kAuto || IsFilterKindBuilt(options.filter_kind),
                 "filter_kind", static_cast<int>(options.filter_kind),
                 "kStandardBloom (1), kBloom (2), kRibbon (3) or kAuto (4)");
  faults->Expect(options.filter_allocation == FilterAllocation::kUniform ||
                     options.filter_allocation == FilterAllocation::kByLevel,
                 "filter_allocation", static_cast<int>(options.filter_allocation),
                 "kUniform (0) or kByLevel (1)");
  faults->Expect(options.compaction_style == CompactionStyle::kLeveled, "compaction_style",
                 static_cast<int>(options.compaction_style), "kLeveled (0) in this version");
}

void CheckComparator(const Options& options, FaultList* faults) {
  if (options.comparator == nullptr) {
    faults->Expect(false, "comparator", "null", "a comparator that outlives the database");
    return;
  }
  const size_t name_bytes = options.comparator->name().size();
  faults->Expect(name_bytes >= 1 && name_bytes <= 255, "the length of the comparator's name",
                 name_bytes, "1 to 255 bytes");
}

}  // namespace

absl::Status CheckOptions(const Options& options) {
  FaultList faults;
  CheckComparator(options, &faults);
  CheckSizes(options, &faults);
  CheckChoices(options, &faults);
  // Written so that NaN fails too.
  faults.Expect(options.bloom_filter_fp_chance > 0 && options.bloom_filter_fp_chance <= 1,
                "bloom_filter_fp_chance", options.bloom_filter_fp_chance,
                "greater than 0 and at most 1 (1 writes no filter)");
  faults.ExpectNot(options.read_only && options.create_if_missing,
                   "read_only and create_if_missing exclude each other");
  faults.ExpectNot(options.read_only && options.error_if_exists,
                   "read_only and error_if_exists exclude each other");
  return faults.ToStatus();
}

}  // namespace siltstone

#include "filter/scalable_bloom_filter.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "filter/bloom_bits.h"
#include "filter/bloom_math.h"
#include "filter/filter_plan.h"

namespace siltstone {

namespace {

constexpr int kMaxSubFilters = 64;
constexpr uint32_t kMaxExpansion = 64;
constexpr double kLeastTightening = 0.3, kMostTightening = 0.9;
// m, k and the number of keys.
constexpr size_t kSubFilterHeaderBytes = 24;

struct SubFilter {
  BloomBits bits;
  uint64_t capacity;
  uint64_t count = 0;  // keys that were new to the whole filter when they were added
};

// A key must not be a false positive in one sub-filter because it is one in another.
uint64_t SaltOf(size_t index) { return Remix(index); }

// Invariants:
//   I1. There is at least one sub-filter; all but the last are full: count == capacity.
//   I2. Sub-filter i takes e^i times as many keys as the first, e the expansion.
//   I3. When all are full the chance of the whole is below the target, and so there is some left for the next.
// Thread-compatible.
class ChainedBloomFilter final : public ScalableBloomFilter {
 public:
  ChainedBloomFilter(const FilterDesign& design, const ScalingOptions& options)
      : ScalableBloomFilter(Kind::kScalableBloom, design), options_(options) {}

  // Appends an empty sub-filter; nothing is changed after an error.
  absl::Status Grow();
  // Appends one from a file.
  absl::Status Load(Decoder* decoder);

  absl::StatusOr<bool> AddHash(uint64_t hash) override;
  bool MayContainHash(uint64_t hash) const override;

  uint64_t capacity() const override;
  uint64_t count() const override;
  double fill_ratio() const override;
  double predicted_fp_rate() const override;
  size_t memory_bytes() const override;
  const ScalingOptions& scaling_options() const override { return options_; }
  int sub_filter_count() const override { return static_cast<int>(sub_filters_.size()); }
  std::string parameters() const override {
    return absl::StrCat("sub_filters=", sub_filters_.size(), " expansion=", options_.expansion,
                        " tightening=", options_.tightening,
                        " scaling=", options_.scaling ? "yes" : "no");
  }
  std::string Serialize() const override;

 private:
  absl::StatusOr<uint64_t> NextCapacity() const;
  double NextChance() const;

  const ScalingOptions options_;
  std::vector<SubFilter> sub_filters_;
};

absl::StatusOr<uint64_t> ChainedBloomFilter::NextCapacity() const {
  if (sub_filters_.empty()) return design().capacity;
  if (!options_.scaling || sub_filters_.size() == kMaxSubFilters) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the scalable Bloom filter is full: ", count(), " keys in ", sub_filters_.size(),
        " sub-filters, and it ", options_.scaling ? "has no more" : "was told not to scale"));
  }
  const uint64_t next = sub_filters_.back().capacity * options_.expansion;
  if (next > kMaxFilterCapacity) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the next sub-filter of the scalable Bloom filter: ", next, " keys, at most 2^40"));
  }
  return next;
}

double ChainedBloomFilter::NextChance() const {
  if (!options_.scaling) return design().fp_chance;
  const double left =
      sub_filters_.empty() ? design().fp_chance : design().fp_chance - predicted_fp_rate();
  return SubFilterChance(left, options_.tightening);
}

absl::Status ChainedBloomFilter::Grow() {
  const absl::StatusOr<uint64_t> capacity = NextCapacity();
  if (!capacity.ok()) return capacity.status();
  const BloomSize size = StrictBloomSize(std::max(*capacity, kLeastSubFilterKeys), NextChance());
  absl::StatusOr<BloomBits> bits =
      BloomBits::Allocate(size.bits, size.probes, SaltOf(sub_filters_.size()));
  if (!bits.ok()) return bits.status();
  sub_filters_.push_back({*std::move(bits), *capacity});
  return absl::OkStatus();
}

absl::StatusOr<bool> ChainedBloomFilter::AddHash(uint64_t hash) {
  if (MayContainHash(hash)) return false;
  if (sub_filters_.back().count == sub_filters_.back().capacity) {
    SILTSTONE_RETURN_IF_ERROR(Grow());
  }
  sub_filters_.back().bits.Add(hash);
  ++sub_filters_.back().count;
  return true;
}

bool ChainedBloomFilter::MayContainHash(uint64_t hash) const {
  for (size_t i = sub_filters_.size(); i-- > 0;) {
    if (sub_filters_[i].bits.MayContain(hash)) return true;
  }
  return false;
}

uint64_t ChainedBloomFilter::capacity() const {
  uint64_t sum = 0;
  for (const SubFilter& sub_filter : sub_filters_) sum += sub_filter.capacity;
  return sum;
}

uint64_t ChainedBloomFilter::count() const {
  uint64_t sum = 0;
  for (const SubFilter& sub_filter : sub_filters_) sum += sub_filter.count;
  return sum;
}

double ChainedBloomFilter::fill_ratio() const {
  double set = 0, all = 0;
  for (const SubFilter& sub_filter : sub_filters_) {
    set += static_cast<double>(sub_filter.bits.set_bits());
    all += static_cast<double>(sub_filter.bits.bits());
  }
  return set / all;
}

// 1 less the chance that every sub-filter says no.
double ChainedBloomFilter::predicted_fp_rate() const {
  double log_all_say_no = 0;
  for (const SubFilter& sub_filter : sub_filters_) {
    log_all_say_no += std::log1p(-sub_filter.bits.FalsePositiveRate());
  }
  return -std::expm1(log_all_say_no);
}

size_t ChainedBloomFilter::memory_bytes() const {
  size_t sum = sizeof(*this) + sub_filters_.capacity() * sizeof(SubFilter);
  for (const SubFilter& sub_filter : sub_filters_) sum += sub_filter.bits.bytes().size();
  return sum;
}

std::string ChainedBloomFilter::Serialize() const {
  size_t payload_bytes = 0;
  for (const SubFilter& sub_filter : sub_filters_) {
    payload_bytes += kSubFilterHeaderBytes + sub_filter.bits.bytes().size();
  }
  std::string file = BeginFilterFile(
      {.kind = kind(),
       .design = design(),
       .count = count(),
       .parameters = {options_.expansion, std::bit_cast<uint64_t>(options_.tightening),
                      options_.scaling, sub_filters_.size()}},
      payload_bytes);
  for (const SubFilter& sub_filter : sub_filters_) {
    AppendFixed64(&file, sub_filter.bits.bits());
    AppendFixed64(&file, static_cast<uint64_t>(sub_filter.bits.probes()));
    AppendFixed64(&file, sub_filter.count);
    file.append(sub_filter.bits.bytes());
  }
  FinishFilterFile(&file);
  return file;
}

absl::Status ChainedBloomFilter::Load(Decoder* decoder) {
  const absl::StatusOr<uint64_t> capacity = NextCapacity();
  if (!capacity.ok()) return DamagedFilterFile("sub-filters", sub_filters_.size() + 1, "fewer");
  if (!sub_filters_.empty() && sub_filters_.back().count != sub_filters_.back().capacity) {
    return DamagedFilterFile("keys of a sub-filter before the last", sub_filters_.back().count,
                             absl::StrCat(sub_filters_.back().capacity));
  }
  uint64_t bits, probes, count;
  std::string_view payload;
  if (!decoder->Fixed64(&bits) || !decoder->Fixed64(&probes) || !decoder->Fixed64(&count) ||
      !decoder->Bytes(BloomBits::PayloadBytes(bits), &payload)) {
    return DamagedFilterFile("bytes left for a sub-filter", decoder->remaining(), "all of it");
  }
  if (probes < 1 || probes > static_cast<uint64_t>(kMaxProbes)) {
    return DamagedFilterFile("number of probes of a sub-filter", probes, "1 to 64");
  }
  if (count > *capacity) {
    return DamagedFilterFile("keys of a sub-filter", count, absl::StrCat("at most ", *capacity));
  }
  absl::StatusOr<BloomBits> copy =
      BloomBits::Copy(bits, static_cast<int>(probes), SaltOf(sub_filters_.size()), payload);
  if (!copy.ok()) return InFilterFile(copy.status());
  sub_filters_.push_back({*std::move(copy), *capacity, count});
  return absl::OkStatus();
}

absl::Status CheckOptions(const ScalingOptions& options) {
  if (options.expansion < 1 || options.expansion > kMaxExpansion) {
    return absl::InvalidArgumentError(
        absl::StrCat("expansion = ", options.expansion, ": legal are 1 to ", kMaxExpansion));
  }
  if (!(options.tightening >= kLeastTightening && options.tightening <= kMostTightening)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tightening = ", options.tightening, ": legal are 0.3 to 0.9"));
  }
  return absl::OkStatus();
}

// The options of a file; DataLoss when Reserve would refuse them.
absl::StatusOr<ScalingOptions> OptionsOf(const FilterFileHeader& header) {
  if (header.parameters[0] > kMaxExpansion || header.parameters[2] > 1) {
    return DamagedFilterFile("expansion or scaling",
                             std::max(header.parameters[0], header.parameters[2]),
                             "1 to 64, 0 or 1");
  }
  const ScalingOptions options{.scaling = header.parameters[2] == 1,
                               .expansion = static_cast<uint32_t>(header.parameters[0]),
                               .tightening = std::bit_cast<double>(header.parameters[1]),
                               .seed = header.design.seed};
  absl::Status status = CheckOptions(options);
  if (status.ok()) status = CheckFilterDesign(header.design);
  if (!status.ok()) {
    return absl::DataLossError(absl::StrCat("filter file parameters: ", status.message()));
  }
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ScalableBloomFilter>> ScalableBloomFilter::Reserve(
    double fp_chance, uint64_t capacity, const ScalingOptions& options) {
  const FilterDesign design{.capacity = capacity, .fp_chance = fp_chance, .seed = options.seed};
  SILTSTONE_RETURN_IF_ERROR(CheckFilterDesign(design));
  SILTSTONE_RETURN_IF_ERROR(CheckOptions(options));
  auto filter = std::make_unique<ChainedBloomFilter>(design, options);
  SILTSTONE_RETURN_IF_ERROR(filter->Grow());
  return filter;
}

absl::Status ScalableBloomFilter::AddMany(std::span<const std::string_view> keys,
                                          std::span<bool> added) {
  if (!added.empty() && added.size() != keys.size()) {
    return absl::InvalidArgumentError(absl::StrCat("length of added = ", added.size(),
                                                   ": legal are 0 and ", keys.size(),
                                                   ", the number of keys"));
  }
  std::fill(added.begin(), added.end(), false);
  for (size_t i = 0; i < keys.size(); ++i) {
    const absl::StatusOr<bool> is_new = Add(keys[i]);
    if (!is_new.ok()) {
      return absl::Status(is_new.status().code(),
                          absl::StrCat(is_new.status().message(), ", at key ", i, " of ",
                                       keys.size(), " to be added"));
    }
    if (!added.empty()) added[i] = *is_new;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Filter>> OpenScalableBloomFilter(const FilterFile& file) {
  const absl::StatusOr<ScalingOptions> options = OptionsOf(file.header);
  if (!options.ok()) return options.status();
  const uint64_t sub_filters = file.header.parameters[3];
  if (sub_filters < 1 || sub_filters > kMaxSubFilters) {
    return DamagedFilterFile("sub-filters", sub_filters, "1 to 64");
  }
  auto filter = std::make_unique<ChainedBloomFilter>(file.header.design, *options);
  Decoder decoder(file.payload);
  for (uint64_t i = 0; i < sub_filters; ++i) SILTSTONE_RETURN_IF_ERROR(filter->Load(&decoder));
  if (!decoder.empty()) {
    return DamagedFilterFile("bytes behind the last sub-filter", decoder.remaining(), "0");
  }
  if (filter->count() != file.header.count) {
    return DamagedFilterFile("count", file.header.count,
                             absl::StrCat(filter->count(), " by the sub-filters"));
  }
  return filter;
}

}  // namespace siltstone

#include "filter/bloom_filter.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "filter/bloom_bits.h"
#include "filter/bloom_math.h"
#include "filter/filter_plan.h"

namespace siltstone {

namespace {

// One filter by itself needs no salt: its seed tells its hashes from those of others.
constexpr uint64_t kSalt = 0;
constexpr uint64_t kMaxBits = uint64_t{1} << 48;

absl::Status Mismatch(std::string_view what, uint64_t ours, uint64_t theirs) {
  return absl::InvalidArgumentError(absl::StrCat("filters of different ", ToAbsl(what),
                                                 " do not unite: ", ours, " and ", theirs));
}

// Thread-compatible.
class StandardBloomFilter final : public BloomFilter {
 public:
  StandardBloomFilter(const FilterDesign& design, BloomBits bits, uint64_t count)
      : BloomFilter(Kind::kStandardBloom, design), bits_(std::move(bits)), count_(count) {}

  void AddHash(uint64_t hash) override { count_ += bits_.Add(hash); }
  bool MayContainHash(uint64_t hash) const override { return bits_.MayContain(hash); }
  absl::Status UniteWith(const BloomFilter& other) override;

  uint64_t count() const override { return count_; }
  double fill_ratio() const override { return bits_.fill_ratio(); }
  double predicted_fp_rate() const override { return bits_.FalsePositiveRate(); }
  size_t memory_bytes() const override { return sizeof(*this) + bits_.bytes().size(); }
  uint64_t bit_count() const override { return bits_.bits(); }
  int probes() const override { return bits_.probes(); }
  std::string_view bits() const override { return bits_.bytes(); }
  std::string parameters() const override {
    return absl::StrCat("m=", bits_.bits(), " k=", bits_.probes());
  }
  std::string Serialize() const override;

 private:
  BloomBits bits_;
  uint64_t count_;
};

absl::Status StandardBloomFilter::UniteWith(const BloomFilter& other) {
  if (seed() != other.seed()) return Mismatch("seeds", seed(), other.seed());
  if (bit_count() != other.bit_count()) {
    return Mismatch("numbers of bits m", bit_count(), other.bit_count());
  }
  if (probes() != other.probes()) {
    return Mismatch("numbers of probes k", static_cast<uint64_t>(probes()),
                    static_cast<uint64_t>(other.probes()));
  }
  bits_.Or(other.bits());
  count_ = bits_.EstimateKeys();
  return absl::OkStatus();
}

std::string StandardBloomFilter::Serialize() const {
  const std::string_view payload = bits_.bytes();
  std::string file =
      BeginFilterFile({.kind = kind(),
                       .design = design(),
                       .count = count_,
                       .parameters = {bits_.bits(), static_cast<uint64_t>(bits_.probes()), 0, 0}},
                      payload.size());
  file.append(payload);
  FinishFilterFile(&file);
  return file;
}

absl::StatusOr<std::unique_ptr<BloomFilter>> Make(const FilterDesign& design,
                                                  const BloomSize& size) {
  absl::StatusOr<BloomBits> bits = BloomBits::Allocate(size.bits, size.probes, kSalt);
  if (!bits.ok()) return bits.status();
  return std::make_unique<StandardBloomFilter>(design, *std::move(bits), /*count=*/0);
}

}  // namespace

absl::StatusOr<std::unique_ptr<BloomFilter>> BloomFilter::Create(const FilterDesign& design) {
  SILTSTONE_RETURN_IF_ERROR(CheckFilterDesign(design));
  return Make(design, TextbookBloomSize(design.capacity, design.fp_chance));
}

absl::StatusOr<std::unique_ptr<BloomFilter>> BloomFilter::CreateSized(uint64_t bits, int probes,
                                                                      uint64_t seed) {
  if (bits < 1 || bits > kMaxBits) {
    return absl::InvalidArgumentError(absl::StrCat("bits = ", bits, ": legal are 1 to 2^48"));
  }
  if (probes < 1 || probes > kMaxProbes) {
    return absl::InvalidArgumentError(
        absl::StrCat("probes = ", probes, ": legal are 1 to ", kMaxProbes));
  }
  const double keys = std::round(static_cast<double>(bits) * std::numbers::ln2 / probes);
  const uint64_t capacity = std::max<uint64_t>(1, static_cast<uint64_t>(keys));
  return Make(
      {.capacity = capacity, .fp_chance = StandardBloomRate(bits, capacity, probes), .seed = seed},
      {bits, probes});
}

absl::StatusOr<std::unique_ptr<Filter>> OpenBloomFilter(const FilterFile& file) {
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(file.header, 2));
  const absl::StatusOr<int> probes = ProbesParameter(file.header, 1);
  if (!probes.ok()) return probes.status();
  absl::StatusOr<BloomBits> bits =
      BloomBits::Copy(file.header.parameters[0], *probes, kSalt, file.payload);
  if (!bits.ok()) return InFilterFile(bits.status());
  return std::make_unique<StandardBloomFilter>(file.header.design, *std::move(bits),
                                               file.header.count);
}

}  // namespace siltstone

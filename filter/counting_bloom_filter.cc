#include "filter/counting_bloom_filter.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/status_macros.h"
#include "filter/bloom_math.h"
#include "filter/filter_plan.h"
#include "filter/standard_bloom.h"
#include "filter/zeroed_words.h"

namespace siltstone {

namespace {

constexpr uint64_t kSalt = 0;
constexpr uint64_t kCounterBits = 4;
constexpr uint64_t kCountersPerWord = 64 / kCounterBits;
constexpr uint64_t kSaturated = 15;

uint64_t WordsOf(uint64_t counters) {
  return counters / kCountersPerWord + (counters % kCountersPerWord != 0);
}

// Invariants:
//   I1. used_ and saturated_ are the numbers of counters that are not 0, and that are 15.
//   I2. A counter below 15 is the number of keys there, copies included, that have it among their positions.
//   I3. Counters from size_.bits on are zero.
// Thread-compatible.
class FourBitBloomFilter final : public CountingBloomFilter {
 public:
  FourBitBloomFilter(const FilterDesign& design, const BloomSize& size, ZeroedWords words)
      : CountingBloomFilter(Kind::kCountingBloom, design), size_(size), words_(std::move(words)) {}

  // Takes counters from a file. False when they break I3.
  bool Load(std::string_view payload, uint64_t count);

  void AddHash(uint64_t hash) override;
  absl::Status RemoveHash(uint64_t hash) override;
  bool MayContainHash(uint64_t hash) const override;

  uint64_t count() const override { return count_; }
  double fill_ratio() const override {
    return static_cast<double>(used_) / static_cast<double>(size_.bits);
  }
  double predicted_fp_rate() const override { return std::pow(fill_ratio(), size_.probes); }
  size_t memory_bytes() const override { return sizeof(*this) + words_.size_bytes(); }
  uint64_t counter_count() const override { return size_.bits; }
  int probes() const override { return size_.probes; }
  uint64_t saturated_counters() const override { return saturated_; }
  std::string parameters() const override {
    return absl::StrCat("m=", size_.bits, " k=", size_.probes, " saturated=", saturated_);
  }
  std::string Serialize() const override;

 private:
  // The distinct positions of a key: a position that occurs twice counts once, so that Remove takes
  // back exactly what Add did, and never more than a counter has.
  struct Positions {
    std::array<uint64_t, kMaxProbes> of;
    size_t count = 0;
  };
  Positions PositionsOf(uint64_t hash) const;

  uint64_t Counter(uint64_t position) const {
    return words_[position / kCountersPerWord] >> Shift(position) & kSaturated;
  }
  static uint64_t Shift(uint64_t position) { return position % kCountersPerWord * kCounterBits; }

  const BloomSize size_;  // bits: the number of counters
  ZeroedWords words_;
  uint64_t count_ = 0;
  uint64_t used_ = 0;
  uint64_t saturated_ = 0;
};

FourBitBloomFilter::Positions FourBitBloomFilter::PositionsOf(uint64_t hash) const {
  Positions positions;
  const uint64_t seed = StandardBloomSeed(hash, kSalt);
  for (uint32_t probe = 0; probe < static_cast<uint32_t>(size_.probes); ++probe) {
    const uint64_t position = StandardBloomPosition(seed, probe, size_.bits);
    const auto end = positions.of.begin() + static_cast<std::ptrdiff_t>(positions.count);
    if (std::find(positions.of.begin(), end, position) == end) {
      positions.of[positions.count++] = position;
    }
  }
  return positions;
}

void FourBitBloomFilter::AddHash(uint64_t hash) {
  const Positions positions = PositionsOf(hash);
  for (size_t i = 0; i < positions.count; ++i) {
    const uint64_t position = positions.of[i];
    const uint64_t counter = Counter(position);
    if (counter == kSaturated) continue;
    words_[position / kCountersPerWord] += uint64_t{1} << Shift(position);
    used_ += counter == 0;
    saturated_ += counter + 1 == kSaturated;
  }
  ++count_;
}

absl::Status FourBitBloomFilter::RemoveHash(uint64_t hash) {
  const Positions positions = PositionsOf(hash);
  for (size_t i = 0; i < positions.count; ++i) {
    if (Counter(positions.of[i]) == 0) {
      return absl::NotFoundError("the key to be removed is not in the filter");
    }
  }
  for (size_t i = 0; i < positions.count; ++i) {
    const uint64_t position = positions.of[i];
    const uint64_t counter = Counter(position);
    if (counter == kSaturated) continue;
    words_[position / kCountersPerWord] -= uint64_t{1} << Shift(position);
    used_ -= counter == 1;
  }
  count_ -= count_ != 0;  // saturated counters may have let a key pass that is not there
  return absl::OkStatus();
}

bool FourBitBloomFilter::MayContainHash(uint64_t hash) const {
  const uint64_t seed = StandardBloomSeed(hash, kSalt);
  for (uint32_t probe = 0; probe < static_cast<uint32_t>(size_.probes); ++probe) {
    if (Counter(StandardBloomPosition(seed, probe, size_.bits)) == 0) return false;
  }
  return true;
}

bool FourBitBloomFilter::Load(std::string_view payload, uint64_t count) {
  std::memcpy(words_.data(), payload.data(), payload.size());
  count_ = count;
  for (uint64_t position = 0; position < words_.count() * kCountersPerWord; ++position) {
    const uint64_t counter = Counter(position);
    if (position >= size_.bits && counter != 0) return false;
    used_ += counter != 0;
    saturated_ += counter == kSaturated;
  }
  return true;
}

std::string FourBitBloomFilter::Serialize() const {
  const std::string_view payload = words_.bytes();
  std::string file =
      BeginFilterFile({.kind = kind(),
                       .design = design(),
                       .count = count_,
                       .parameters = {size_.bits, static_cast<uint64_t>(size_.probes), 0, 0}},
                      payload.size());
  file.append(payload);
  FinishFilterFile(&file);
  return file;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CountingBloomFilter>> CountingBloomFilter::Create(
    const FilterDesign& design) {
  SILTSTONE_RETURN_IF_ERROR(CheckFilterDesign(design));
  const BloomSize size = TextbookBloomSize(design.capacity, design.fp_chance);
  absl::StatusOr<ZeroedWords> words = ZeroedWords::Allocate(WordsOf(size.bits));
  if (!words.ok()) return words.status();
  return std::make_unique<FourBitBloomFilter>(design, size, *std::move(words));
}

absl::StatusOr<std::unique_ptr<Filter>> OpenCountingBloomFilter(const FilterFile& file) {
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(file.header, 2));
  const absl::StatusOr<int> probes = ProbesParameter(file.header, 1);
  if (!probes.ok()) return probes.status();
  const uint64_t counters = file.header.parameters[0];
  if (counters == 0 || file.payload.size() % 8 != 0 ||
      WordsOf(counters) != file.payload.size() / 8) {
    return DamagedFilterFile("number of counters", counters,
                             absl::StrCat("what ", file.payload.size(), " bytes hold"));
  }
  absl::StatusOr<ZeroedWords> words = ZeroedWords::Allocate(file.payload.size() / 8);
  if (!words.ok()) return words.status();
  auto filter = std::make_unique<FourBitBloomFilter>(
      file.header.design, BloomSize{counters, *probes}, *std::move(words));
  if (!filter->Load(file.payload, file.header.count)) {
    return absl::DataLossError("filter file counters behind the last: expected 0");
  }
  return filter;
}

}  // namespace siltstone

#include "siltstone/filter.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"

#include "base/hash.h"
#include "base/random.h"
#include "base/status_macros.h"
#include "base/to_absl.h"
#include "filter/bloom_filter.h"
#include "filter/counting_bloom_filter.h"
#include "filter/cuckoo_filter.h"
#include "filter/exact_set.h"
#include "filter/filter_file.h"
#include "filter/scalable_bloom_filter.h"
#include "filter/static_filter.h"

namespace siltstone {

namespace {

constexpr std::pair<Filter::Kind, std::string_view> kKindNames[] = {
    {Filter::Kind::kStandardBloom, "standard"},
    {Filter::Kind::kBloom, "bloom"},
    {Filter::Kind::kRibbon, "ribbon"},
    {Filter::Kind::kCountingBloom, "counting"},
    {Filter::Kind::kCuckoo, "cuckoo"},
    {Filter::Kind::kScalableBloom, "scalable"},
    {Filter::Kind::kExact, "exact"},
};

using FilterOr = absl::StatusOr<std::unique_ptr<Filter>>;

// Parse of a class that has the given kinds.
template <typename Class>
absl::StatusOr<std::unique_ptr<Class>> ParseAs(std::string_view bytes,
                                               std::initializer_list<Filter::Kind> kinds) {
  FilterOr filter = Filter::Parse(bytes);
  if (!filter.ok()) return filter.status();
  const Filter::Kind kind = (*filter)->kind();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    return absl::InvalidArgumentError(absl::StrCat("filter file kind: observed ",
                                                   ToAbsl(FilterKindName(kind)), ", expected ",
                                                   ToAbsl(FilterKindName(*kinds.begin()))));
  }
  return std::unique_ptr<Class>(static_cast<Class*>(filter->release()));
}

std::vector<uint64_t> DistinctHashes(std::span<const std::string_view> keys, uint64_t seed) {
  std::vector<uint64_t> hashes;
  hashes.reserve(keys.size());
  for (const std::string_view key : keys) hashes.push_back(HashFilterKey(key, seed));
  std::sort(hashes.begin(), hashes.end());
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

// How each class adds a hash, as a Status.
absl::Status AddTo(BloomFilter& filter, uint64_t hash) {
  filter.AddHash(hash);
  return absl::OkStatus();
}
absl::Status AddTo(CountingBloomFilter& filter, uint64_t hash) {
  filter.AddHash(hash);
  return absl::OkStatus();
}
absl::Status AddTo(CuckooFilter& filter, uint64_t hash) { return filter.AddHash(hash); }
absl::Status AddTo(ScalableBloomFilter& filter, uint64_t hash) {
  return filter.AddHash(hash).status();
}

template <typename Class>
FilterOr Fill(absl::StatusOr<std::unique_ptr<Class>> filter, const std::vector<uint64_t>& hashes) {
  if (!filter.ok()) return filter.status();
  for (const uint64_t hash : hashes) SILTSTONE_RETURN_IF_ERROR(AddTo(**filter, hash));
  return *std::move(filter);
}

FilterOr BuildExactSet(std::span<const std::string_view> keys, uint64_t seed) {
  std::unique_ptr<ExactSet> set = ExactSet::Create(seed);
  for (const std::string_view key : keys) set->Add(key);
  return set;
}

}  // namespace

uint64_t RandomFilterSeed() { return RandomSeed(); }

uint64_t HashFilterKey(std::string_view key, uint64_t seed) { return HashKey(key, seed); }

std::string_view FilterKindName(Filter::Kind kind) {
  for (const auto& [known, name] : kKindNames) {
    if (known == kind) return name;
  }
  return "unknown";
}

absl::StatusOr<Filter::Kind> ParseFilterKind(std::string_view name) {
  std::string names;
  for (const auto& [kind, known] : kKindNames) {
    if (known == name) return kind;
    absl::StrAppend(&names, names.empty() ? "" : ", ", ToAbsl(known));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("filter kind = \"", ToAbsl(name), "\": legal are ", names));
}

void Filter::MayContainEach(std::span<const std::string_view> keys, std::span<bool> maybe) const {
  const size_t count = std::min(keys.size(), maybe.size());
  for (size_t i = 0; i < count; ++i) maybe[i] = MayContain(keys[i]);
}

FilterOr Filter::Parse(std::string_view bytes) {
  const absl::StatusOr<FilterFile> file = ParseFilterFile(bytes);
  if (!file.ok()) return file.status();
  switch (file->header.kind) {
    case Kind::kStandardBloom:
      return OpenBloomFilter(*file);
    case Kind::kBloom:
    case Kind::kRibbon:
      return OpenStaticFilter(*file);
    case Kind::kCountingBloom:
      return OpenCountingBloomFilter(*file);
    case Kind::kCuckoo:
      return OpenCuckooFilter(*file);
    case Kind::kScalableBloom:
      return OpenScalableBloomFilter(*file);
    case Kind::kExact:
      return OpenExactSet(*file);
  }
  return absl::InternalError("a filter kind was parsed but is not read");
}

absl::Status Filter::Write(FileSystem& file_system, std::string_view path) const {
  return file_system.ReplaceFile(path, Serialize(), /*is_secret=*/seed() != kPublicFilterSeed);
}

FilterOr Filter::Read(FileSystem& file_system, std::string_view path) {
  const absl::StatusOr<std::unique_ptr<RandomAccessFile>> file = file_system.OpenTable(path);
  if (!file.ok()) return file.status();
  std::string bytes(static_cast<size_t>((*file)->size_bytes()), '\0');
  SILTSTONE_RETURN_IF_ERROR((*file)->Read(0, bytes));
  FilterOr filter = Parse(bytes);
  if (filter.ok()) return filter;
  return absl::Status(filter.status().code(),
                      absl::StrCat(filter.status().message(), ", in ", ToAbsl(path)));
}

FilterOr Filter::Build(Kind kind, std::span<const std::string_view> keys,
                       const FilterDesign& design) {
  if (kind == Kind::kExact) return BuildExactSet(keys, design.seed);
  std::vector<uint64_t> hashes = DistinctHashes(keys, design.seed);
  FilterDesign counted = design;
  if (counted.capacity == 0) counted.capacity = std::max<uint64_t>(1, hashes.size());
  switch (kind) {
    case Kind::kStandardBloom:
      return Fill(BloomFilter::Create(counted), hashes);
    case Kind::kBloom:
    case Kind::kRibbon:
      return StaticFilter::BuildFromHashes(kind, std::move(hashes), counted);
    case Kind::kCountingBloom:
      return Fill(CountingBloomFilter::Create(counted), hashes);
    case Kind::kCuckoo:
      return Fill(CuckooFilter::Create(counted), hashes);
    case Kind::kScalableBloom:
      return Fill(
          ScalableBloomFilter::Reserve(counted.fp_chance, counted.capacity, {.seed = counted.seed}),
          hashes);
    case Kind::kExact:
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("filter kind = ", static_cast<int>(kind), ": legal are 1 to 7"));
}

absl::StatusOr<std::unique_ptr<StaticFilter>> StaticFilter::Build(
    Kind kind, std::span<const std::string_view> keys, const FilterDesign& design) {
  return BuildFromHashes(kind, DistinctHashes(keys, design.seed), design);
}

absl::StatusOr<std::unique_ptr<BloomFilter>> BloomFilter::Parse(std::string_view bytes) {
  return ParseAs<BloomFilter>(bytes, {Kind::kStandardBloom});
}
absl::StatusOr<std::unique_ptr<StaticFilter>> StaticFilter::Parse(std::string_view bytes) {
  return ParseAs<StaticFilter>(bytes, {Kind::kBloom, Kind::kRibbon});
}
absl::StatusOr<std::unique_ptr<CountingBloomFilter>> CountingBloomFilter::Parse(
    std::string_view bytes) {
  return ParseAs<CountingBloomFilter>(bytes, {Kind::kCountingBloom});
}
absl::StatusOr<std::unique_ptr<CuckooFilter>> CuckooFilter::Parse(std::string_view bytes) {
  return ParseAs<CuckooFilter>(bytes, {Kind::kCuckoo});
}
absl::StatusOr<std::unique_ptr<ScalableBloomFilter>> ScalableBloomFilter::Parse(
    std::string_view bytes) {
  return ParseAs<ScalableBloomFilter>(bytes, {Kind::kScalableBloom});
}
absl::StatusOr<std::unique_ptr<ExactSet>> ExactSet::Parse(std::string_view bytes) {
  return ParseAs<ExactSet>(bytes, {Kind::kExact});
}

}  // namespace siltstone

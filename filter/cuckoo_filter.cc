#include "filter/cuckoo_filter.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/coding.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "filter/filter_plan.h"
#include "filter/zeroed_words.h"

namespace siltstone {

namespace {

constexpr uint64_t kSlots = kCuckooSlotsPerBucket;
constexpr uint64_t kEmpty = 0;
// A slot is read with one load of eight bytes that starts at any byte.
constexpr uint64_t kMaxFingerprintBits = 57;
constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

uint64_t WordsOf(uint64_t buckets, uint64_t fingerprint_bits) {
  return (buckets * kSlots * fingerprint_bits + 63) / 64;
}

// Fingerprints of f bits, packed. Thread-compatible.
class SlotArray {
 public:
  static absl::StatusOr<SlotArray> Allocate(uint64_t buckets, uint64_t fingerprint_bits) {
    // One word more than is stored: the load of the last slot may reach into it.
    absl::StatusOr<ZeroedWords> words =
        ZeroedWords::Allocate(WordsOf(buckets, fingerprint_bits) + 1);
    if (!words.ok()) return words.status();
    return SlotArray(fingerprint_bits, *std::move(words));
  }

  // On disk: slot s of bucket b is bits [(4b + s) f, (4b + s + 1) f).
  uint64_t Get(uint64_t bucket, uint64_t slot) const {
    const uint64_t bit = (bucket * kSlots + slot) * bits_;
    return LoadFixed64(words_.bytes().data() + bit / 8) >> bit % 8 & mask_;
  }
  void Set(uint64_t bucket, uint64_t slot, uint64_t fingerprint) {
    const uint64_t bit = (bucket * kSlots + slot) * bits_;
    char* bytes = reinterpret_cast<char*>(words_.data()) + bit / 8;
    const uint64_t others = LoadFixed64(bytes) & ~(mask_ << bit % 8);
    StoreFixed64(bytes, others | fingerprint << bit % 8);
  }

  std::string_view payload() const { return words_.bytes().substr(0, words_.size_bytes() - 8); }
  void LoadPayload(std::string_view payload) {
    SILTSTONE_CHECK(payload.size() == words_.size_bytes() - 8);
    std::memcpy(words_.data(), payload.data(), payload.size());
  }
  size_t size_bytes() const { return words_.size_bytes(); }

 private:
  SlotArray(uint64_t bits, ZeroedWords words)
      : bits_(bits), mask_((uint64_t{1} << bits) - 1), words_(std::move(words)) {}

  uint64_t bits_;
  uint64_t mask_;
  ZeroedWords words_;
};

// Invariants:
//   I1. A fingerprint stands only in the two buckets that its key has.
//   I2. The number of buckets is even.
//   I3. used_ slots are not empty.
// Thread-compatible.
class BucketCuckooFilter final : public CuckooFilter {
 public:
  BucketCuckooFilter(const FilterDesign& design, const CuckooSize& size, SlotArray slots)
      : CuckooFilter(Kind::kCuckoo, design), size_(size), slots_(std::move(slots)) {}

  // Takes the slots of a file.
  void Load(std::string_view payload);

  absl::Status AddHash(uint64_t hash) override;
  absl::Status RemoveHash(uint64_t hash) override;
  bool MayContainHash(uint64_t hash) const override;
  int CountHash(uint64_t hash) const override;

  uint64_t count() const override { return used_; }
  double fill_ratio() const override {
    return static_cast<double>(used_) / static_cast<double>(size_.buckets * kSlots);
  }
  double predicted_fp_rate() const override {
    return CuckooRate(size_.fingerprint_bits, fill_ratio());
  }
  size_t memory_bytes() const override { return sizeof(*this) + slots_.size_bytes(); }
  uint64_t bucket_count() const override { return size_.buckets; }
  int fingerprint_bits() const override { return size_.fingerprint_bits; }
  std::string parameters() const override {
    return absl::StrCat("buckets=", size_.buckets, " fingerprint_bits=", size_.fingerprint_bits);
  }
  std::string Serialize() const override;

 private:
  struct Place {
    uint64_t fingerprint;
    uint64_t bucket;
    uint64_t other_bucket;
  };
  // A bucket that could give up a fingerprint: the one in `slot` of the parent's bucket would move
  // here.
  struct Step {
    uint64_t bucket;
    uint32_t parent;  // index of a step; kNoParent: the new fingerprint itself would
    uint32_t slot;
  };
  static constexpr uint32_t kNoParent = UINT32_MAX;
  static constexpr uint32_t kMaxSteps = 2048;

  Place PlaceOf(uint64_t hash) const;
  uint64_t OtherBucket(uint64_t bucket, uint64_t fingerprint) const;
  // The first slot of the bucket that holds the fingerprint, or kSlots.
  uint64_t FindSlot(uint64_t bucket, uint64_t fingerprint) const;
  bool MakeRoomAndPut(const Place& place);
  void MoveAlong(const Step* steps, uint32_t last, uint64_t slot, uint64_t to_bucket,
                 uint64_t to_slot, uint64_t fingerprint);

  const CuckooSize size_;
  SlotArray slots_;
  uint64_t used_ = 0;
};

// On disk, like all of this: never change. A fingerprint is one of 2^f - 1 values, 0 being the
// empty slot.
BucketCuckooFilter::Place BucketCuckooFilter::PlaceOf(uint64_t hash) const {
  const uint64_t seed = Remix(hash);
  const uint64_t values = (uint64_t{1} << size_.fingerprint_bits) - 1;
  const uint64_t fingerprint = 1 + FastRange64(Remix(seed + kGolden), values);
  const uint64_t bucket = FastRange64(seed, size_.buckets);
  return {fingerprint, bucket, OtherBucket(bucket, fingerprint)};
}

// The two buckets of a fingerprint sum up to an odd number made from it, modulo the number of
// buckets, which is even: each is found from the other, they are never the same, and the number of
// buckets need be no power of two.
uint64_t BucketCuckooFilter::OtherBucket(uint64_t bucket, uint64_t fingerprint) const {
  const uint64_t sum = 2 * FastRange64(Remix(fingerprint), size_.buckets / 2) + 1;
  return sum >= bucket ? sum - bucket : sum + size_.buckets - bucket;
}

uint64_t BucketCuckooFilter::FindSlot(uint64_t bucket, uint64_t fingerprint) const {
  for (uint64_t slot = 0; slot < kSlots; ++slot) {
    if (slots_.Get(bucket, slot) == fingerprint) return slot;
  }
  return kSlots;
}

bool BucketCuckooFilter::MayContainHash(uint64_t hash) const {
  const Place place = PlaceOf(hash);
  return FindSlot(place.bucket, place.fingerprint) != kSlots ||
         FindSlot(place.other_bucket, place.fingerprint) != kSlots;
}

int BucketCuckooFilter::CountHash(uint64_t hash) const {
  const Place place = PlaceOf(hash);
  int count = 0;
  for (uint64_t slot = 0; slot < kSlots; ++slot) {
    count += slots_.Get(place.bucket, slot) == place.fingerprint;
    count += slots_.Get(place.other_bucket, slot) == place.fingerprint;
  }
  return count;
}

absl::Status BucketCuckooFilter::AddHash(uint64_t hash) {
  const Place place = PlaceOf(hash);
  for (const uint64_t bucket : {place.bucket, place.other_bucket}) {
    const uint64_t slot = FindSlot(bucket, kEmpty);
    if (slot == kSlots) continue;
    slots_.Set(bucket, slot, place.fingerprint);
    ++used_;
    return absl::OkStatus();
  }
  if (!MakeRoomAndPut(place)) {
    return absl::ResourceExhaustedError(absl::StrCat("the cuckoo filter is full: ", used_, " of ",
                                                     size_.buckets * kSlots, " slots in use"));
  }
  ++used_;
  return absl::OkStatus();
}

// Searches in breadth for the shortest chain of moves that ends in an empty slot; only then
// anything is moved. A shortest chain visits no bucket twice, so that no move spoils a later one.
bool BucketCuckooFilter::MakeRoomAndPut(const Place& place) {
  std::array<Step, kMaxSteps> steps;
  uint32_t end = 0;
  steps[end++] = {place.bucket, kNoParent, 0};
  steps[end++] = {place.other_bucket, kNoParent, 0};
  for (uint32_t step = 0; step < end; ++step) {
    const uint64_t bucket = steps[step].bucket;
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
      const uint64_t target = OtherBucket(bucket, slots_.Get(bucket, slot));
      const uint64_t empty = FindSlot(target, kEmpty);
      if (empty != kSlots) {
        MoveAlong(steps.data(), step, slot, target, empty, place.fingerprint);
        return true;
      }
      if (end < kMaxSteps) steps[end++] = {target, step, slot};
    }
  }
  return false;
}

// Moves the fingerprint in `slot` of the last step's bucket to an empty slot, the one that shall
// take its place into that, and so on; the new fingerprint into the slot that is empty in the end.
void BucketCuckooFilter::MoveAlong(const Step* steps, uint32_t last, uint64_t slot,
                                   uint64_t to_bucket, uint64_t to_slot, uint64_t fingerprint) {
  SILTSTONE_DCHECK(slots_.Get(to_bucket, to_slot) == kEmpty);
  for (uint32_t step = last;; step = steps[step].parent) {
    const uint64_t bucket = steps[step].bucket;
    SILTSTONE_DCHECK(OtherBucket(bucket, slots_.Get(bucket, slot)) == to_bucket);
    slots_.Set(to_bucket, to_slot, slots_.Get(bucket, slot));
    to_bucket = bucket;
    to_slot = slot;
    if (steps[step].parent == kNoParent) break;
    slot = steps[step].slot;
  }
  slots_.Set(to_bucket, to_slot, fingerprint);
}

absl::Status BucketCuckooFilter::RemoveHash(uint64_t hash) {
  const Place place = PlaceOf(hash);
  for (const uint64_t bucket : {place.bucket, place.other_bucket}) {
    const uint64_t slot = FindSlot(bucket, place.fingerprint);
    if (slot == kSlots) continue;
    slots_.Set(bucket, slot, kEmpty);
    --used_;
    return absl::OkStatus();
  }
  return absl::NotFoundError("the key to be removed is not in the filter");
}

void BucketCuckooFilter::Load(std::string_view payload) {
  slots_.LoadPayload(payload);
  for (uint64_t bucket = 0; bucket < size_.buckets; ++bucket) {
    for (uint64_t slot = 0; slot < kSlots; ++slot) used_ += slots_.Get(bucket, slot) != kEmpty;
  }
}

std::string BucketCuckooFilter::Serialize() const {
  std::string file = BeginFilterFile(
      {.kind = kind(),
       .design = design(),
       .count = used_,
       .parameters = {size_.buckets, static_cast<uint64_t>(size_.fingerprint_bits), 0, 0}},
      slots_.payload().size());
  file.append(slots_.payload());
  FinishFilterFile(&file);
  return file;
}

// Compares by division: numbers from outside must not overflow.
absl::Status CheckSlots(const FilterFile& file) {
  const uint64_t buckets = file.header.parameters[0], bits = file.header.parameters[1];
  if (bits < 1 || bits > kMaxFingerprintBits) {
    return DamagedFilterFile("fingerprint bits", bits, "1 to 57");
  }
  const uint64_t payload_bits = uint64_t{file.payload.size()} * 8;
  if (buckets == 0 || buckets % 2 != 0 || buckets > payload_bits / (kSlots * bits) ||
      file.payload.size() != WordsOf(buckets, bits) * 8) {
    return DamagedFilterFile(
        "number of buckets", buckets,
        absl::StrCat("an even number that ", file.payload.size(), " bytes hold"));
  }
  const uint64_t used_bits = buckets * kSlots * bits % 64;
  const uint64_t last_word = LoadFixed64(file.payload.data() + file.payload.size() - 8);
  if (used_bits != 0 && last_word >> used_bits != 0) {
    return DamagedFilterFile("bits behind the last slot", last_word >> used_bits, "0");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<CuckooFilter>> CuckooFilter::Create(const FilterDesign& design) {
  SILTSTONE_RETURN_IF_ERROR(CheckFilterDesign(design));
  const CuckooSize size = SizeCuckoo(design.capacity, design.fp_chance);
  absl::StatusOr<SlotArray> slots =
      SlotArray::Allocate(size.buckets, static_cast<uint64_t>(size.fingerprint_bits));
  if (!slots.ok()) return slots.status();
  return std::make_unique<BucketCuckooFilter>(design, size, *std::move(slots));
}

absl::StatusOr<std::unique_ptr<Filter>> OpenCuckooFilter(const FilterFile& file) {
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(file.header, 2));
  SILTSTONE_RETURN_IF_ERROR(CheckSlots(file));
  const CuckooSize size{file.header.parameters[0], static_cast<int>(file.header.parameters[1])};
  absl::StatusOr<SlotArray> slots =
      SlotArray::Allocate(size.buckets, static_cast<uint64_t>(size.fingerprint_bits));
  if (!slots.ok()) return slots.status();
  auto filter = std::make_unique<BucketCuckooFilter>(file.header.design, size, *std::move(slots));
  filter->Load(file.payload);
  if (filter->count() != file.header.count) {
    return DamagedFilterFile("count", file.header.count,
                             absl::StrCat(filter->count(), " by the slots in use"));
  }
  return filter;
}

}  // namespace siltstone

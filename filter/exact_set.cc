#include "filter/exact_set.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/hash.h"
#include "base/status_macros.h"

namespace siltstone {

namespace {

// A table of slots, linear probing, at most 7/8 of them in use; doubled when full. The keys lie one
// behind the other in one string, as in the file.
//
// Invariants:
//   I1. A slot in use has the hash of its key; the key stands, length-prefixed, at place - 1 of keys_.
//   I2. Between the first slot of a hash and a slot that has it there is no empty one.
// Thread-compatible.
class HashSet final : public ExactSet {
 public:
  explicit HashSet(uint64_t seed)
      : ExactSet(Kind::kExact, {.capacity = 0, .fp_chance = 0, .seed = seed}),
        slots_(kLeastSlots) {}

  bool Add(std::string_view key) override;
  bool MayContain(std::string_view key) const override {
    return slots_[Find(HashFilterKey(key, seed()), key)].place != 0;
  }
  bool MayContainHash(uint64_t hash) const override;

  uint64_t count() const override { return count_; }
  double fill_ratio() const override {
    return static_cast<double>(count_) / static_cast<double>(slots_.size());
  }
  double predicted_fp_rate() const override { return 0; }
  size_t memory_bytes() const override {
    return sizeof(*this) + slots_.capacity() * sizeof(Slot) + keys_.capacity();
  }
  std::string parameters() const override {
    return absl::StrCat("slots=", slots_.size(), " key_bytes=", keys_.size());
  }
  std::string Serialize() const override;

 private:
  static constexpr size_t kLeastSlots = 8;
  struct Slot {
    uint64_t hash = 0;
    uint64_t place = 0;  // 0: empty
  };

  size_t FirstSlot(uint64_t hash) const { return FastRange64(hash, slots_.size()); }
  size_t NextSlot(size_t index) const { return index + 1 == slots_.size() ? 0 : index + 1; }
  // The slot of the key, or the empty one where it would be put.
  size_t Find(uint64_t hash, std::string_view key) const;
  std::string_view KeyAt(uint64_t place) const;
  void Grow();

  std::vector<Slot> slots_;
  std::string keys_;
  uint64_t count_ = 0;
};

size_t HashSet::Find(uint64_t hash, std::string_view key) const {
  size_t index = FirstSlot(hash);
  while (slots_[index].place != 0) {
    if (slots_[index].hash == hash && KeyAt(slots_[index].place) == key) break;
    index = NextSlot(index);
  }
  return index;
}

std::string_view HashSet::KeyAt(uint64_t place) const {
  Decoder decoder(std::string_view(keys_).substr(place - 1));
  std::string_view key;
  decoder.LengthPrefixed(&key);
  return key;
}

bool HashSet::Add(std::string_view key) {
  const uint64_t hash = HashFilterKey(key, seed());
  const size_t index = Find(hash, key);
  if (slots_[index].place != 0) return false;
  slots_[index] = {hash, keys_.size() + 1};
  AppendLengthPrefixed(&keys_, key);
  ++count_;
  if (count_ > slots_.size() / 8 * 7) Grow();
  return true;
}

bool HashSet::MayContainHash(uint64_t hash) const {
  for (size_t index = FirstSlot(hash); slots_[index].place != 0; index = NextSlot(index)) {
    if (slots_[index].hash == hash) return true;
  }
  return false;
}

void HashSet::Grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.place == 0) continue;
    size_t index = FirstSlot(slot.hash);
    while (slots_[index].place != 0) index = NextSlot(index);
    slots_[index] = slot;
  }
}

std::string HashSet::Serialize() const {
  std::string file = BeginFilterFile(
      {.kind = kind(), .design = design(), .count = count_, .parameters = {}}, keys_.size());
  file.append(keys_);
  FinishFilterFile(&file);
  return file;
}

}  // namespace

std::unique_ptr<ExactSet> ExactSet::Create(uint64_t seed) {
  return std::make_unique<HashSet>(seed);
}

absl::StatusOr<std::unique_ptr<Filter>> OpenExactSet(const FilterFile& file) {
  SILTSTONE_RETURN_IF_ERROR(CheckUnusedParameters(file.header, 0));
  auto set = std::make_unique<HashSet>(file.header.design.seed);
  Decoder decoder(file.payload);
  while (!decoder.empty()) {
    std::string_view key;
    if (!decoder.LengthPrefixed(&key)) {
      return DamagedFilterFile("key at offset of the payload", decoder.offset(),
                               "a length and so many bytes");
    }
    if (!set->Add(key)) return DamagedFilterFile("key number", set->count(), "no key twice");
  }
  if (set->count() != file.header.count) {
    return DamagedFilterFile("count", file.header.count,
                             absl::StrCat(set->count(), " by the payload"));
  }
  return set;
}

uint64_t ExactSetBytes(uint64_t keys, double mean_key_bytes) {
  const double slot_bytes = 16 / (7.0 / 8);
  return static_cast<uint64_t>(
      std::ceil(static_cast<double>(keys) * (slot_bytes + 1 + mean_key_bytes)));
}

}  // namespace siltstone

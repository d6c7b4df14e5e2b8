#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/export.h"

// Sets that answer "may this key be in it?" from a few bits a key. "No" is always true; "maybe" is
// wrong with a chance that you choose. Of use without a database.
//
//   auto seen = siltstone::BloomFilter::Create({.capacity = 1'000'000, .fp_chance = 0.01});
//   if (!seen.ok()) return seen.status();
//   (*seen)->Add("https://example.org/");
//   if (!(*seen)->MayContain(url)) Fetch(url);             // certainly new: no look-up needed
//   absl::Status s = (*seen)->Write(*siltstone::PosixFileSystem(), "seen.filter");
//
// Which one (docs/filters.md has the arithmetic, and when not to use any):
//
//   BloomFilter          the number of keys is known, none is removed; two filters unite
//   StaticFilter         all keys come before the first question: the fewest nanoseconds, or bits
//   CuckooFilter         keys are removed; may become full
//   CountingBloomFilter  keys are removed; never full, four times the memory of a BloomFilter
//   ScalableBloomFilter  the number of keys is not known
//   ExactSet             no wrong answer, at the price of keeping the keys: to compare with
//
// Keys are any bytes, the empty key too. A key counts only by its 64-bit hash (XXH3, with the
// filter's seed), so its length costs nothing but hashing it. Those who have a good hash of their
// own use the calls that end in Hash, and keep to them: a filter knows a key by the one way or by
// the other.
//
// The seed: everybody knows kPublicFilterSeed, and so anyone can make keys that are all false
// positives of a filter with that seed. That is right for filters that others shall ask or unite
// with their own. Where keys come from people you do not trust, take RandomFilterSeed(), and keep
// it, and files of the filter, which hold it, to yourself.
//
// Thread safety: thread-compatible, all of them. Questions (const methods) may run on many threads
// at once; a change must not run beside anything else. StaticFilter has no changes.
//
// Errors: InvalidArgument for arguments out of their legal range (the message names argument, value
// and range) and ResourceExhausted when the memory for a filter cannot be had. Questions cannot
// fail.

namespace siltstone {

class FileSystem;

inline constexpr uint64_t kPublicFilterSeed = 0;
// A seed nobody can guess, from the system's random device. Thread-safe.
SILTSTONE_EXPORT uint64_t RandomFilterSeed();

// The hash by which a filter with this seed knows `key`. Thread-safe. For asking many filters at
// the cost of hashing once.
SILTSTONE_EXPORT uint64_t HashFilterKey(std::string_view key, uint64_t seed = kPublicFilterSeed);

// What a filter is made for.
struct FilterDesign {
  uint64_t capacity = 0;    // distinct keys; 1 to 2^40
  double fp_chance = 0.01;  // chance of a wrong "maybe" when it holds that many; 2^-40 <= p < 1
  uint64_t seed = kPublicFilterSeed;
};

// What all of them have in common.
class SILTSTONE_EXPORT Filter {
 public:
  // On disk: never renumber.
  enum class Kind : uint8_t {
    kStandardBloom = 1,  // BloomFilter
    kBloom = 2,          // StaticFilter, cache-line Bloom
    kRibbon = 3,         // StaticFilter, ribbon
    kCountingBloom = 4,
    kCuckoo = 5,
    kScalableBloom = 6,
    kExact = 7,
  };

  virtual ~Filter() = default;
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  // --- questions ---

  // False: certainly not there. True: perhaps (of an ExactSet: certainly).
  virtual bool MayContain(std::string_view key) const {
    return MayContainHash(HashFilterKey(key, seed()));
  }
  virtual bool MayContainHash(uint64_t hash) const = 0;
  // maybe[i] = MayContain(keys[i]). The shorter of the spans counts. Of a StaticFilter larger than
  // the caches much faster than one question after the other.
  virtual void MayContainEach(std::span<const std::string_view> keys, std::span<bool> maybe) const;

  // --- what it is ---

  Kind kind() const { return kind_; }
  uint64_t seed() const { return design_.seed; }
  // The chance it was made for.
  double fp_chance() const { return design_.fp_chance; }
  // How many keys it was made for; of a ScalableBloomFilter that scales: without another
  // sub-filter. 0: no bound.
  virtual uint64_t capacity() const { return design_.capacity; }
  // The numbers that only this kind has, for people: "m=9585059 k=7".
  virtual std::string parameters() const = 0;

  // --- how it is ---

  // How many keys it holds; each class says what that means where a key is added twice.
  virtual uint64_t count() const = 0;
  // The share that is in use of the bits, counters or slots: the health of a filter. A Bloom filter
  // at its capacity has half of its bits set.
  virtual double fill_ratio() const = 0;
  // The chance of a wrong "maybe" now, from what is set and not from what was planned. Below
  // fp_chance() while there is room, above when overfilled. Cost: constant time.
  virtual double predicted_fp_rate() const = 0;
  // More keys than it was made for: fp_chance() no longer holds. It goes on saying "maybe" to each
  // key it was given.
  bool overfilled() const { return capacity() != 0 && count() > capacity(); }
  // All memory it holds.
  virtual size_t memory_bytes() const = 0;

  // --- files ---

  // The filter as bytes: self-describing, checksummed, the same on every machine (FORMAT.md,
  // "Filter file"). Cost: twice the filter's memory while it runs.
  virtual std::string Serialize() const = 0;
  // The way back, for any kind. Every field is validated against the bytes before it is used, and no
  // memory is taken but what a filter of so many bytes needs. DataLoss names the damage;
  // Unimplemented: a kind or a version of the future. kind() of the result says which class to
  // static_cast it to.
  static absl::StatusOr<std::unique_ptr<Filter>> Parse(std::string_view bytes);

  // Replaces the file atomically: after a crash the old or the new one is there, whole. With
  // another seed than kPublicFilterSeed the file is readable by its owner alone. Errors: those of
  // FileSystem::ReplaceFile.
  absl::Status Write(FileSystem& file_system, std::string_view path) const;
  // Parse of a file. Errors: those of Parse, with the path, and of FileSystem::OpenTable.
  static absl::StatusOr<std::unique_ptr<Filter>> Read(FileSystem& file_system,
                                                      std::string_view path);

  // A filter of any kind over these keys, each counted once however often it occurs. A capacity of
  // 0 means their number. Unimplemented for a kind that this version cannot build;
  // ResourceExhausted for a cuckoo filter that is full. Cost: 8 bytes a key while it runs, besides
  // the filter.
  static absl::StatusOr<std::unique_ptr<Filter>> Build(Kind kind,
                                                       std::span<const std::string_view> keys,
                                                       const FilterDesign& design = {});

 protected:
  Filter(Kind kind, const FilterDesign& design) : kind_(kind), design_(design) {}
  const FilterDesign& design() const { return design_; }

 private:
  const Kind kind_;
  const FilterDesign design_;
};

// "standard", "bloom", "ribbon", "counting", "cuckoo", "scalable", "exact"; "unknown" for other
// values.
SILTSTONE_EXPORT std::string_view FilterKindName(Filter::Kind kind);
// The way back. InvalidArgument lists the names there are.
SILTSTONE_EXPORT absl::StatusOr<Filter::Kind> ParseFilterKind(std::string_view name);

// The textbook Bloom filter: k of m bits a key, anywhere. (B. Bloom, "Space/Time Trade-offs in Hash
// Coding with Allowable Errors", CACM 13(7), 1970.)
//
// Cost: up to k cache misses an Add, about two for the question after an absent key. 9.59 bits a
// key at 1 %.
class SILTSTONE_EXPORT BloomFilter : public Filter {
 public:
  // m = ceil(-n ln p / (ln 2)^2) and k = max(1, round((m / n) ln 2)).
  static absl::StatusOr<std::unique_ptr<BloomFilter>> Create(const FilterDesign& design);
  // With m (1 to 2^48) and k (1 to 64) given. Its capacity is m ln 2 / k keys, at which half of the
  // bits are set, and its chance the one which follows from that.
  static absl::StatusOr<std::unique_ptr<BloomFilter>> CreateSized(
      uint64_t bits, int probes, uint64_t seed = kPublicFilterSeed);
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<BloomFilter>> Parse(std::string_view bytes);

  void Add(std::string_view key) { AddHash(HashFilterKey(key, seed())); }
  virtual void AddHash(uint64_t hash) = 0;

  // Adds all that `other` holds, by OR: bits() is then the same as if all keys of both had been
  // added to one. InvalidArgument, naming both values, when m, k or the seed differ; nothing is
  // changed then.
  virtual absl::Status UniteWith(const BloomFilter& other) = 0;

  // count(): keys that were new, i.e. that set a bit. After UniteWith, which cannot know how many
  // keys both had, an estimate from the set bits: -(m / k) ln(1 - fill_ratio). (S. Swamidass, P.
  // Baldi, "Mathematical correction for fingerprint similarity measures", JCIM 47(3), 2007.)

  virtual uint64_t bit_count() const = 0;  // m
  virtual int probes() const = 0;          // k
  // The m bits, bit b being bit b mod 8 of byte b / 8, filled up with zeroes to 8 bytes. Valid
  // while the filter lives.
  virtual std::string_view bits() const = 0;

 protected:
  using Filter::Filter;
};

// A filter over keys that are all known when it is built, of the kinds that SSTables have.
//
//   kBloom   one cache line a question, no branch that depends on the key; 9.92 bits a key at 1 %
//   kRibbon  near the information limit of log2(1/p) bits a key, for more nanoseconds
//
// Immutable and thread-safe. count() is the number of distinct keys and equals capacity(), which is
// at least 1.
class SILTSTONE_EXPORT StaticFilter : public Filter {
 public:
  // design.capacity is not used: the number of distinct keys counts. InvalidArgument for a kind
  // that is not one of the two; Unimplemented for one that this version cannot build. Cost: 8 bytes
  // a key while it runs.
  static absl::StatusOr<std::unique_ptr<StaticFilter>> Build(Kind kind,
                                                             std::span<const std::string_view> keys,
                                                             const FilterDesign& design = {});
  // The same over hashes, in any order; equal ones count once.
  static absl::StatusOr<std::unique_ptr<StaticFilter>> BuildFromHashes(
      Kind kind, std::vector<uint64_t> hashes, const FilterDesign& design = {});
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<StaticFilter>> Parse(std::string_view bytes);

 protected:
  using Filter::Filter;
};

// A Bloom filter with a counter of four bits in place of each bit, so that keys can be removed. (L.
// Fan, P. Cao, J. Almeida, A. Broder, "Summary Cache", IEEE/ACM Transactions on Networking 8(3),
// 2000.)
//
// A counter that has reached 15 stays there for ever: it may stand for more. Removing never makes a
// key that is still there "absent", unless keys were removed that had never been added but for
// which the answer was "maybe".
//
// Cost: as BloomFilter, at four times the memory: 38.3 bits a key at 1 %.
class SILTSTONE_EXPORT CountingBloomFilter : public Filter {
 public:
  static absl::StatusOr<std::unique_ptr<CountingBloomFilter>> Create(const FilterDesign& design);
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<CountingBloomFilter>> Parse(std::string_view bytes);

  // A key that is added twice is there until it has been removed twice.
  void Add(std::string_view key) { AddHash(HashFilterKey(key, seed())); }
  virtual void AddHash(uint64_t hash) = 0;
  // NotFound, and nothing changed, when the key is certainly absent. REQUIRES: the key was added,
  // and not removed since. A filter cannot tell "maybe" from "there": removing what only looks
  // present makes other keys absent.
  absl::Status Remove(std::string_view key) { return RemoveHash(HashFilterKey(key, seed())); }
  virtual absl::Status RemoveHash(uint64_t hash) = 0;

  // count(): Adds less Removes.

  virtual uint64_t counter_count() const = 0;       // m
  virtual int probes() const = 0;                   // k
  virtual uint64_t saturated_counters() const = 0;  // how many stand at 15

 protected:
  using Filter::Filter;
};

// Short fingerprints of the keys in buckets of four slots; a key has two buckets, and fingerprints
// move between theirs to make room. (B. Fan, D. Andersen, M. Kaminsky, M. Mitzenmacher, "Cuckoo
// Filter: Practically Better Than Bloom", CoNEXT 2014. The other bucket is found here by a
// difference instead of XOR, so that any number of buckets will do.)
//
// Cost: two cache misses a question; an Add moves few fingerprints until the filter is nearly full,
// and looks at no more than 2,048 buckets. 10.5 bits a key at 1 %.
class SILTSTONE_EXPORT CuckooFilter : public Filter {
 public:
  // Slots for capacity / 0.95 keys. Fingerprints of the fewest bits (at least 5) that keep the
  // chance at that load.
  static absl::StatusOr<std::unique_ptr<CuckooFilter>> Create(const FilterDesign& design);
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<CuckooFilter>> Parse(std::string_view bytes);

  // Each Add of a key takes a slot, so that a key can be there at most eight times.
  // ResourceExhausted when there is no room: the filter is then as it was before, and holds every
  // key it held. Up to capacity() distinct keys there is room, but for a chance that is negligible.
  absl::Status Add(std::string_view key) { return AddHash(HashFilterKey(key, seed())); }
  virtual absl::Status AddHash(uint64_t hash) = 0;
  // Removes the key once. NotFound, and nothing changed, when it is certainly absent. REQUIRES: the
  // key was added, and not removed since; see CountingBloomFilter.
  absl::Status Remove(std::string_view key) { return RemoveHash(HashFilterKey(key, seed())); }
  virtual absl::Status RemoveHash(uint64_t hash) = 0;
  // How often the key may have been added: never less than it is there.
  int Count(std::string_view key) const { return CountHash(HashFilterKey(key, seed())); }
  virtual int CountHash(uint64_t hash) const = 0;

  // count(): Adds less Removes, i.e. the slots in use.

  virtual uint64_t bucket_count() const = 0;
  virtual int fingerprint_bits() const = 0;

 protected:
  using Filter::Filter;
};

// How a ScalableBloomFilter grows.
struct ScalingOptions {
  // False: one filter, which reports when it is full.
  bool scaling = true;
  // Each sub-filter has so many times the capacity of the one before; 1 to 64. More: fewer
  // sub-filters to ask; less: less memory that is not used yet.
  uint32_t expansion = 2;
  // The share of the chance that each sub-filter leaves to those after it, r; 0.3 to 0.9. Near 1
  // the first ones take more memory, below one half the later ones do.
  double tightening = 0.5;
  uint64_t seed = kPublicFilterSeed;
};

// A chain of Bloom filters; when the newest is full, a larger and stricter one is begun. (P.
// Almeida, C. Baquero, N. Preguica, D. Hutchison, "Scalable Bloom Filters", IPL 101(6), 2007.)
// Sub-filter i has in the mean the chance P (1 - r) r^i, and exactly 1 - r of what those before it,
// as they came out, have left of P: however many there are, the chance of the whole stays under P.
//
// Cost: a question asks every sub-filter, newest first, until one says "maybe"; an Add asks them
// all. With an expansion of 2, a hundred times the keys make seven sub-filters. 11.0 bits a key at
// 1 % within the first one.
class SILTSTONE_EXPORT ScalableBloomFilter : public Filter {
 public:
  // A first sub-filter for `capacity` keys (1 to 2^40), and a chance of at most `fp_chance` (2^-40
  // <= p < 1) of a wrong "maybe" for ever.
  static absl::StatusOr<std::unique_ptr<ScalableBloomFilter>> Reserve(
      double fp_chance, uint64_t capacity, const ScalingOptions& options = {});
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<ScalableBloomFilter>> Parse(std::string_view bytes);

  // True: the key was certainly new. False: it may have been there, and nothing has changed.
  // ResourceExhausted: it was new, and there is no room: the filter does not scale, or has 64
  // sub-filters, or memory for the next cannot be had. Nothing has changed then.
  absl::StatusOr<bool> Add(std::string_view key) { return AddHash(HashFilterKey(key, seed())); }
  virtual absl::StatusOr<bool> AddHash(uint64_t hash) = 0;
  // Adds the keys in order; added[i]: keys[i] was certainly new. `added` may be empty; otherwise
  // InvalidArgument when its length differs. ResourceExhausted stops at the first key without room
  // (its index is in the message): those before it are in, and `added` is false for it and for the
  // rest.
  absl::Status AddMany(std::span<const std::string_view> keys, std::span<bool> added = {});

  // count(): keys that were new.

  virtual const ScalingOptions& scaling_options() const = 0;
  virtual int sub_filter_count() const = 0;

 protected:
  using Filter::Filter;
};

// A hash set of whole keys: what the filters are measured against, and what to take for a set small
// enough.
//
// Cost: the keys, 18 to 37 bytes a key beside them, and up to as much again of the keys while they
// grow; one or two cache misses for the question after an absent key.
class SILTSTONE_EXPORT ExactSet : public Filter {
 public:
  static std::unique_ptr<ExactSet> Create(uint64_t seed = kPublicFilterSeed);
  // InvalidArgument for a file of another kind.
  static absl::StatusOr<std::unique_ptr<ExactSet>> Parse(std::string_view bytes);

  // True: the key was not there before.
  virtual bool Add(std::string_view key) = 0;

  // count(): distinct keys. capacity() is 0: no bound. predicted_fp_rate() and fp_chance() are 0.
  // MayContainHash is true when some key has this hash.

 protected:
  using Filter::Filter;
};

// What a filter will cost, before it is built.
struct FilterPlan {
  Filter::Kind kind = Filter::Kind::kStandardBloom;
  uint64_t keys = 0;
  double fp_chance = 0;
  uint64_t bits = 0;   // of the filter's payload
  uint64_t bytes = 0;  // bits / 8, rounded up
  double bits_per_key = 0;
  int probes = 0;                     // k; 0 for kinds without
  double probes_before_rounding = 0;  // (m / n) ln 2; 0 where k is not made by rounding
  int fingerprint_bits = 0;           // cuckoo
  double predicted_fp_rate = 0;       // at that many keys: of Bloom filters at that m and k
};

// The plan for `keys` (1 to 2^40) distinct keys at `fp_chance` (2^-40 <= p < 1). Of a scalable
// filter: one reserved for so many. Of an exact set, whose cost alone depends on the keys: with
// keys of `mean_key_bytes` on average. Unimplemented for a kind that this version cannot build.
// Thread-safe. Cost: less than a millisecond.
//
//   PlanFilter(Filter::Kind::kStandardBloom, 1'000'000, 0.01): 9,585,059 bits, k = 7, 1.004 %
SILTSTONE_EXPORT absl::StatusOr<FilterPlan> PlanFilter(Filter::Kind kind, uint64_t keys,
                                                       double fp_chance,
                                                       double mean_key_bytes = 16);

}  // namespace siltstone

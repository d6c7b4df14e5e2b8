#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include "siltstone/file_system.h"

namespace siltstone {

// The secrets of a database, by id. Filter hashes are seeded with the current one, so that nobody outside can
// craft keys that are false positives; a table names the id of its secret.
//
//   SecretRing ring;
//   ring.AddSecret();
//   absl::Status status = WriteSecretRing(file_system, directory, ring);
//   uint64_t seed = ring.current_seed();
//
// Format: FORMAT.md "SECRETS", M5. Losing the file loses no data: tables of an unknown secret are read without
// their filter.
//
// Invariants: ids are unique, not zero, ascending; the current id is one of them unless the ring is empty.
// Thread safety: thread-compatible; a value that is copied freely.
class SecretRing {
 public:
  static constexpr size_t kMaxSecrets = 65536;

  SecretRing() = default;

  // Adds a secret of a random id that is not in the ring, and makes it current. Drops the oldest-numbered other
  // one when the ring is full.
  void AddSecret();

  // Nullopt for an id that is not in the ring.
  std::optional<uint64_t> Seed(uint32_t id) const;

  // 0 when empty.
  uint32_t current_id() const { return current_id_; }
  // REQUIRES: not empty.
  uint64_t current_seed() const;
  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }

  std::string Encode() const;
  // DataLoss, without a place, for anything but the result of Encode of a ring that is not empty.
  static absl::StatusOr<SecretRing> Decode(std::string_view contents);

  bool operator==(const SecretRing&) const = default;

 private:
  struct Entry {
    uint32_t id = 0;
    uint64_t seed = 0;
    bool operator==(const Entry&) const = default;
  };

  std::vector<Entry>::const_iterator LowerBound(uint32_t id) const;

  uint32_t current_id_ = 0;
  std::vector<Entry> entries_;
};

// NotFound where there is none, DataLoss where it is damaged; in both cases the caller may go on with a new ring.
absl::StatusOr<SecretRing> ReadSecretRing(FileSystem& file_system, std::string_view directory);

// Atomic and durable when it returns OK; readable by the owner alone.
absl::Status WriteSecretRing(FileSystem& file_system, std::string_view directory,
                             const SecretRing& ring);

}  // namespace siltstone

#include "engine/manifest/secret_ring.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

#include "base/check.h"
#include "base/checksum.h"
#include "base/coding.h"
#include "base/random.h"
#include "engine/manifest/file_names.h"

namespace siltstone {
namespace {

constexpr std::string_view kMagic = "SILTSECR";
constexpr uint32_t kFormatVersion = 1;
constexpr size_t kHeaderBytes = 24;
constexpr size_t kEntryBytes = 12;
constexpr size_t kChecksumBytes = 8;

}  // namespace

std::vector<SecretRing::Entry>::const_iterator SecretRing::LowerBound(uint32_t id) const {
  return std::lower_bound(entries_.begin(), entries_.end(), id,
                          [](const Entry& entry, uint32_t wanted) { return entry.id < wanted; });
}

void SecretRing::AddSecret() {
  if (entries_.size() == kMaxSecrets) {
    entries_.erase(entries_.begin() + (entries_.front().id == current_id_ ? 1 : 0));
  }
  uint32_t id = 0;
  while (id == 0 || Seed(id).has_value()) id = static_cast<uint32_t>(RandomSeed());
  entries_.insert(LowerBound(id), Entry{id, RandomSeed()});
  current_id_ = id;
}

std::optional<uint64_t> SecretRing::Seed(uint32_t id) const {
  const auto entry = LowerBound(id);
  if (entry == entries_.end() || entry->id != id) return std::nullopt;
  return entry->seed;
}

uint64_t SecretRing::current_seed() const {
  const std::optional<uint64_t> seed = Seed(current_id_);
  SILTSTONE_CHECK(seed.has_value());  // a made-up seed would write filters that nobody can read
  return *seed;
}

std::string SecretRing::Encode() const {
  std::string out(kMagic);
  AppendFixed32(&out, kFormatVersion);
  AppendFixed32(&out, static_cast<uint32_t>(entries_.size()));
  AppendFixed32(&out, current_id_);
  AppendFixed32(&out, 0);
  for (const Entry& entry : entries_) {
    AppendFixed32(&out, entry.id);
    AppendFixed64(&out, entry.seed);
  }
  AppendFixed64(&out, Checksum64(out));
  return out;
}

absl::StatusOr<SecretRing> SecretRing::Decode(std::string_view contents) {
  if (contents.size() < kHeaderBytes + kEntryBytes + kChecksumBytes ||
      !contents.starts_with(kMagic)) {
    return absl::DataLossError("not a ring of secrets");
  }
  const std::string_view body = contents.substr(0, contents.size() - kChecksumBytes);
  if (LoadFixed64(contents.data() + body.size()) != Checksum64(body)) {
    return absl::DataLossError("checksum mismatch");
  }
  const uint32_t version = LoadFixed32(body.data() + 8);
  if (version != kFormatVersion) {
    return absl::DataLossError(absl::StrCat("format version ", version, ", expected 1"));
  }
  const uint32_t count = LoadFixed32(body.data() + 12);
  if (count == 0 || count > kMaxSecrets || body.size() != kHeaderBytes + count * kEntryBytes) {
    return absl::DataLossError(absl::StrCat(count, " secrets in ", contents.size(), " bytes"));
  }
  SecretRing ring;
  ring.current_id_ = LoadFixed32(body.data() + 16);
  if (LoadFixed32(body.data() + 20) != 0) return absl::DataLossError("reserved bytes are not zero");
  for (size_t i = 0; i < count; ++i) {
    const char* entry = body.data() + kHeaderBytes + i * kEntryBytes;
    const uint32_t id = LoadFixed32(entry);
    const uint32_t previous = ring.entries_.empty() ? 0 : ring.entries_.back().id;
    if (id <= previous) return absl::DataLossError(absl::StrCat("id ", id, " after ", previous));
    ring.entries_.push_back({id, LoadFixed64(entry + 4)});
  }
  if (!ring.Seed(ring.current_id_).has_value()) {
    return absl::DataLossError(
        absl::StrCat("current id ", ring.current_id_, " is not in the ring"));
  }
  return ring;
}

absl::StatusOr<SecretRing> ReadSecretRing(FileSystem& file_system, std::string_view directory) {
  const std::string path = PathInDirectory(directory, kSecretsFileName);
  const absl::StatusOr<std::string> contents = file_system.ReadFile(path);
  if (!contents.ok()) return contents.status();
  absl::StatusOr<SecretRing> ring = SecretRing::Decode(*contents);
  if (!ring.ok()) {
    return absl::DataLossError(absl::StrCat(ring.status().message(), ", in ", path,
                                            " at offset 0 size ", contents->size()));
  }
  return ring;
}

absl::Status WriteSecretRing(FileSystem& file_system, std::string_view directory,
                             const SecretRing& ring) {
  SILTSTONE_NEVER(ring.empty(), "a ring without secrets");
  return file_system.ReplaceFile(PathInDirectory(directory, kSecretsFileName), ring.Encode(),
                                 /*is_secret=*/true);
}

}  // namespace siltstone

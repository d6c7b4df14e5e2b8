#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// The names of the files of a database, and which file a name stands for.
//
//   TableFileName({3, 17})                   "000003-000000000017.sst"
//   ParseFileName("000003-000000000017.sst") {FileKind::kTable, {3, 17}}
//   ParseFileName("notes.txt")               nullopt: not the engine's, never read, never deleted
//
// Format: FORMAT.md "Directory", M1 and M2. Thread safety: pure functions.

namespace siltstone {

// Epochs and file numbers are 1 to kMaxFileNumber, so that adding to them never wraps.
inline constexpr uint64_t kMaxFileNumber = (uint64_t{1} << 56) - 1;

// What makes a file's name unlike every other: who wrote it and the how-manieth file it was.
struct FileId {
  uint64_t epoch = 0;
  uint64_t number = 0;
  auto operator<=>(const FileId&) const = default;
  bool InRange() const {
    return epoch >= 1 && epoch <= kMaxFileNumber && number >= 1 && number <= kMaxFileNumber;
  }
};

enum class FileKind { kTable, kLog, kManifest, kCurrent, kSecrets, kLock, kInfoLog };

struct ParsedFileName {
  FileKind kind = FileKind::kTable;
  FileId id;  // both zero for kCurrent, kSecrets, kLock; number zero for kInfoLog
  bool operator==(const ParsedFileName&) const = default;
};

inline constexpr char kCurrentFileName[] = "CURRENT";
inline constexpr char kSecretsFileName[] = "SECRETS";
inline constexpr char kLockFileName[] = "LOCK";

std::string TableFileName(FileId id);
std::string LogFileName(FileId id);
std::string ManifestFileName(FileId id);
std::string InfoLogFileName(uint64_t epoch);

// `name` is without the directory. Nullopt for every name that the functions above do not make.
std::optional<ParsedFileName> ParseFileName(std::string_view name);

// directory + "/" + name.
std::string PathInDirectory(std::string_view directory, std::string_view name);
// "a/b" of "a/b//"; "/" stays.
std::string WithoutTrailingSlashes(std::string_view path);
// The directory that holds `path`, which does not end in a slash: "a" of "a/b", "." of "b", "/" of "/b".
std::string ParentDirectory(std::string_view path);

}  // namespace siltstone

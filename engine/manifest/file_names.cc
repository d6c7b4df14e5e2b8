#include "engine/manifest/file_names.h"

#include <charconv>

namespace siltstone {
namespace {

constexpr std::string_view kTableSuffix = ".sst";
constexpr std::string_view kLogSuffix = ".log";
constexpr std::string_view kManifestPrefix = "MANIFEST-";
constexpr std::string_view kInfoLogPrefix = "LOG-";
constexpr size_t kEpochDigits = 6;
constexpr size_t kNumberDigits = 12;

std::string Padded(uint64_t value, size_t digits) {
  std::string text = std::to_string(value);
  if (text.size() < digits) text.insert(0, digits - text.size(), '0');
  return text;
}

std::string Stem(FileId id) {
  return Padded(id.epoch, kEpochDigits) + "-" + Padded(id.number, kNumberDigits);
}

// Takes the digits at the front of `*text`. False when there are none or the value does not fit.
bool TakeNumber(std::string_view* text, uint64_t* value) {
  const char* end = text->data() + text->size();
  const std::from_chars_result result = std::from_chars(text->data(), end, *value);
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

bool TakeStem(std::string_view* text, FileId* id) {
  if (!TakeNumber(text, &id->epoch) || !text->starts_with('-')) return false;
  text->remove_prefix(1);
  return TakeNumber(text, &id->number) && id->InRange();
}

// Lenient; the caller compares with the name that the result makes.
std::optional<ParsedFileName> ParseNumbered(std::string_view name) {
  ParsedFileName parsed;
  if (name.starts_with(kInfoLogPrefix)) {
    parsed.kind = FileKind::kInfoLog;
    name.remove_prefix(kInfoLogPrefix.size());
    if (!TakeNumber(&name, &parsed.id.epoch)) return std::nullopt;
    if (parsed.id.epoch < 1 || parsed.id.epoch > kMaxFileNumber) return std::nullopt;
    return parsed;
  }
  const bool is_manifest = name.starts_with(kManifestPrefix);
  if (is_manifest) name.remove_prefix(kManifestPrefix.size());
  if (!TakeStem(&name, &parsed.id)) return std::nullopt;
  if (is_manifest) {
    parsed.kind = FileKind::kManifest;
  } else {
    parsed.kind = name == kLogSuffix ? FileKind::kLog : FileKind::kTable;
  }
  return parsed;
}

std::string NameOf(const ParsedFileName& parsed) {
  switch (parsed.kind) {
    case FileKind::kTable:
      return TableFileName(parsed.id);
    case FileKind::kLog:
      return LogFileName(parsed.id);
    case FileKind::kManifest:
      return ManifestFileName(parsed.id);
    case FileKind::kInfoLog:
      return InfoLogFileName(parsed.id.epoch);
    case FileKind::kCurrent:
      return kCurrentFileName;
    case FileKind::kSecrets:
      return kSecretsFileName;
    case FileKind::kLock:
      return kLockFileName;
  }
  return {};
}

}  // namespace

std::string TableFileName(FileId id) { return Stem(id).append(kTableSuffix); }

std::string LogFileName(FileId id) { return Stem(id).append(kLogSuffix); }

std::string ManifestFileName(FileId id) { return std::string(kManifestPrefix) + Stem(id); }

std::string InfoLogFileName(uint64_t epoch) {
  return std::string(kInfoLogPrefix) + Padded(epoch, kEpochDigits);
}

std::optional<ParsedFileName> ParseFileName(std::string_view name) {
  for (const FileKind kind : {FileKind::kCurrent, FileKind::kSecrets, FileKind::kLock}) {
    const ParsedFileName fixed{kind, {}};
    if (name == NameOf(fixed)) return fixed;
  }
  const std::optional<ParsedFileName> parsed = ParseNumbered(name);
  // A name counts only when it is the one we would write: no missing zeroes, no trailing bytes.
  if (!parsed.has_value() || NameOf(*parsed) != name) return std::nullopt;
  return parsed;
}

std::string PathInDirectory(std::string_view directory, std::string_view name) {
  std::string path(directory);
  if (!path.ends_with('/')) path.push_back('/');
  return path.append(name);
}

std::string WithoutTrailingSlashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return std::string(path);
}

std::string ParentDirectory(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return slash == 0 ? "/" : std::string(path.substr(0, slash));
}

}  // namespace siltstone

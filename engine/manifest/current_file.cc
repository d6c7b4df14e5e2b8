#include "engine/manifest/current_file.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include "base/to_absl.h"

namespace siltstone {
namespace {

constexpr std::string_view kManifestLabel = "siltstone manifest ";
constexpr std::string_view kDatabaseLabel = " database ";
constexpr std::string_view kChecksumLabel = " checksum ";

// Takes `label` off the front of `*text`.
bool TakeLabel(std::string_view* text, std::string_view label) {
  if (!text->starts_with(label)) return false;
  text->remove_prefix(label.size());
  return true;
}

std::optional<CurrentFile> ParseFields(std::string_view text) {
  CurrentFile current;
  if (!TakeLabel(&text, kManifestLabel)) return std::nullopt;
  const size_t name_size = text.find(' ');
  if (name_size == std::string_view::npos) return std::nullopt;
  const std::optional<ParsedFileName> name = ParseFileName(text.substr(0, name_size));
  if (!name.has_value() || name->kind != FileKind::kManifest) return std::nullopt;
  current.manifest = name->id;
  text.remove_prefix(name_size);
  if (!TakeLabel(&text, kDatabaseLabel)) return std::nullopt;
  if (!TableId::FromHex(text.substr(0, text.find(' ')), &current.database_id)) return std::nullopt;
  if (current.database_id.is_zero()) return std::nullopt;
  return current;
}

}  // namespace

std::string EncodeCurrent(const CurrentFile& current) {
  std::string line = absl::StrCat(ToAbsl(kManifestLabel), current.manifest_name(),
                                  ToAbsl(kDatabaseLabel), current.database_id.ToHex());
  absl::StrAppend(&line, ToAbsl(kChecksumLabel), absl::StrFormat("%016x\n", Checksum64(line)));
  return line;
}

absl::StatusOr<CurrentFile> DecodeCurrent(std::string_view contents) {
  const std::optional<CurrentFile> current = ParseFields(contents);
  if (!current.has_value()) return absl::DataLossError("not a line that names a manifest");
  if (const std::string expected = EncodeCurrent(*current); contents != expected) {
    return absl::DataLossError(absl::StrCat("checksum or form mismatch: ", contents.size(),
                                            " bytes, expected the ", expected.size(),
                                            " bytes of a line for ", current->manifest_name()));
  }
  return *current;
}

absl::StatusOr<CurrentFile> ReadCurrent(FileSystem& file_system, std::string_view directory) {
  const std::string path = PathInDirectory(directory, kCurrentFileName);
  const absl::StatusOr<std::string> contents = file_system.ReadFile(path);
  if (!contents.ok()) return contents.status();
  absl::StatusOr<CurrentFile> current = DecodeCurrent(*contents);
  if (!current.ok()) {
    return absl::DataLossError(absl::StrCat(current.status().message(), ", in ", path,
                                            " at offset 0 size ", contents->size()));
  }
  return current;
}

absl::Status WriteCurrent(FileSystem& file_system, std::string_view directory,
                          const CurrentFile& current) {
  return file_system.ReplaceFile(PathInDirectory(directory, kCurrentFileName),
                                 EncodeCurrent(current));
}

}  // namespace siltstone

#include "tools/filter_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "siltstone/file_system.h"

#include "tools/input.h"

namespace siltstone::tools {

std::optional<Filter::Kind> ParseFilterFileKind(std::string_view name) {
  const absl::StatusOr<Filter::Kind> kind = siltstone::ParseFilterKind(name);
  return kind.ok() ? std::optional<Filter::Kind>(*kind) : std::nullopt;
}

std::string FilterFileKindNames() {
  std::string names;
  for (const Filter::Kind kind : kFilterFileKinds) {
    if (!names.empty()) names += ", ";
    names += FilterKindName(kind);
  }
  return names;
}

Verdict ReadFilterFile(const std::string& path, std::unique_ptr<Filter>* filter) {
  absl::StatusOr<std::unique_ptr<Input>> input = Input::Open(path);
  if (!input.ok()) return Verdict::BadInput(input.status());
  std::string bytes;
  if (absl::Status status = (*input)->ReadAll(&bytes); !status.ok()) {
    return Verdict::BadInput(status);
  }
  absl::StatusOr<std::unique_ptr<Filter>> parsed = Filter::Parse(bytes);
  if (parsed.ok()) {
    *filter = *std::move(parsed);
    return Verdict::Yes();
  }
  Verdict verdict = Verdict::Failed(parsed.status());
  verdict.message += ", in " + (*input)->name();
  if (absl::IsDataLoss(parsed.status())) {
    verdict.hint = "it is no filter file, or a damaged one: build it again";
  } else if (absl::IsUnimplemented(parsed.status())) {
    verdict.code = ExitCode::kCannotOpen;
    verdict.hint = "a newer kvtool wrote it";
  }
  return verdict;
}

Verdict WriteFilterFile(const Filter& filter, const std::string& path, Output& output) {
  if (path == "-") {
    if (output.is_terminal()) {
      return Verdict::Usage("a filter is binary, and stdout is a terminal",
                            "name a file, or send it to a pipe");
    }
    output.Write(filter.Serialize());
    return Verdict::Yes();
  }
  // A rename would put a file in the place of a device or a pipe.
  std::error_code ignored;
  const std::filesystem::file_status there = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)) {
    return {ExitCode::kCannotOpen, "cannot replace " + path + ": not a regular file",
            "name a file, or - for stdout"};
  }
  const absl::Status status = filter.Write(*PosixFileSystem(), path);
  if (status.ok()) return Verdict::Yes();
  Verdict verdict = Verdict::Failed(status);
  verdict.code = ExitCodeOfOpen(status);
  if (verdict.code == ExitCode::kCannotOpen) {
    verdict.hint = "check the directory and its permissions";
  }
  return verdict;
}

Verdict FilterNotMade(const absl::Status& status) {
  Verdict verdict = Verdict::Failed(status);
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kUnimplemented:
      verdict.code = ExitCode::kUsage;
      verdict.hint = "'kvtool filter plan' shows what there is";
      break;
    case absl::StatusCode::kResourceExhausted:
      verdict.hint = "'kvtool filter plan' shows what a filter costs; --items must not be too few";
      break;
    default:
      break;
  }
  return verdict;
}

}  // namespace siltstone::tools

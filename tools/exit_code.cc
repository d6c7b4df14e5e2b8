#include "tools/exit_code.h"

#include <string>

namespace siltstone::tools {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

std::string HintFor(ExitCode code) {
  switch (code) {
    case ExitCode::kBadData:
      return "restore the file that is named from a copy, or see what 'kvtool repair' can save";
    case ExitCode::kInputOutput:
      return "make space or mend the device, then run the same command again";
    case ExitCode::kConflict:
      return "wait until the holder ends, or use a reading verb, which takes no lock";
    case ExitCode::kInternal:
      return "this is a fault of the program: please report it with this message";
    default:
      return "";
  }
}

}  // namespace

ExitCode ExitCodeOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return ExitCode::kYes;
    case absl::StatusCode::kInvalidArgument:
      return ExitCode::kUsage;
    case absl::StatusCode::kPermissionDenied:
      return ExitCode::kCannotOpen;
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kNotFound:    // a file that the database names has gone
    case absl::StatusCode::kOutOfRange:  // a file is shorter than the database says
      return ExitCode::kBadData;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return ExitCode::kInputOutput;
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kDeadlineExceeded:
      return ExitCode::kConflict;
    case absl::StatusCode::kCancelled:
      return ExitCode::kInterrupted;
    default:
      return ExitCode::kInternal;
  }
}

ExitCode ExitCodeOfOpen(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
      return ExitCode::kCannotOpen;
    default:
      return ExitCodeOf(status);
  }
}

Verdict Verdict::Failed(const absl::Status& status) {
  const ExitCode code = ExitCodeOf(status);
  return {code, Message(status), HintFor(code)};
}

Verdict Verdict::BadInput(const absl::Status& status) {
  Verdict verdict = Failed(status);
  if (absl::IsNotFound(status)) verdict.code = ExitCode::kCannotOpen;
  if (verdict.code == ExitCode::kCannotOpen) verdict.hint = "check the name of the file";
  if (verdict.code == ExitCode::kBadData) verdict.hint = "mend the input; nothing was written";
  return verdict;
}

Verdict Verdict::NotOpened(const absl::Status& status, const std::string& path) {
  const ExitCode code = ExitCodeOfOpen(status);
  std::string hint = HintFor(code);
  if (code == ExitCode::kCannotOpen) hint = "check the path and its permissions";
  return {code, "cannot open database " + path + ": " + Message(status), hint};
}

}  // namespace siltstone::tools

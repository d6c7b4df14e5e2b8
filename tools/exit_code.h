#pragma once

#include <string>

#include "absl/status/status.h"

namespace siltstone::tools {

// How kvtool ends. Scripts rely on these: never renumber.
enum class ExitCode : int {
  kYes = 0,
  kNo = 1,            // the answer is no: an absent key
  kUsage = 2,         // the command line is at fault
  kCannotOpen = 3,    // missing, not a database, or no permission
  kBadData = 4,       // damage in the database, or input that does not follow its format
  kInputOutput = 5,   // a read or write failed, or there is no space
  kConflict = 6,      // somebody else holds the database, or a wait took too long
  kInternal = 70,     // a fault of kvtool or of the engine
  kInterrupted = 130  // stopped by SIGINT
};

// What a verb came to: the exit code and, for the reader of stderr, what is wrong and what to do
// about it.
//
//   if (operands.empty()) return Verdict::Usage("get needs a KEY", "kvtool get KEY...");
//   if (!status.ok()) return Verdict::Failed(status);
//   return Verdict::Yes();
struct [[nodiscard]] Verdict {
  ExitCode code = ExitCode::kYes;
  std::string message;  // one line, without "kvtool: "; empty: nothing to say
  std::string hint;     // what to do next; may be empty

  static Verdict Yes() { return {}; }
  static Verdict No(std::string message = "") { return {ExitCode::kNo, std::move(message), ""}; }
  static Verdict Usage(std::string message, std::string hint) {
    return {ExitCode::kUsage, std::move(message), std::move(hint)};
  }
  // The verdict on a status that is not OK, met while the database was in use.
  static Verdict Failed(const absl::Status& status);
  // The verdict on an input of ours that cannot be opened or read, met before anything was written.
  static Verdict BadInput(const absl::Status& status);
  // The verdict on the status with which DB::Open refused the database at `path`.
  static Verdict NotOpened(const absl::Status& status, const std::string& path);
  // The same where there is no database at `path`.
  static Verdict NoDatabase(const std::string& path) {
    return {ExitCode::kCannotOpen, "no database at " + path,
            "check the path; put, import and batch create a database"};
  }

  // Neither yes nor no.
  bool failed() const { return code != ExitCode::kYes && code != ExitCode::kNo; }
};

// The code for a status met while the database was in use.
ExitCode ExitCodeOf(const absl::Status& status);
// The code for a status that DB::Open answered with.
ExitCode ExitCodeOfOpen(const absl::Status& status);

}  // namespace siltstone::tools

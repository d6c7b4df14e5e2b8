#include "tools/session.h"

#include <stdio.h>

#include <utility>

#include "tools/recorded_options.h"

namespace siltstone::tools {

Verdict Session::Open(Access access) {
  if (access == Access::kNone) return Verdict::Yes();
  if (path_.empty()) {
    return Verdict::Usage("no database named", "give it by -d PATH or in $KVTOOL_DB");
  }
  if (db_ != nullptr && (writable_ || access == Access::kRead)) return Verdict::Yes();
  // A reader that becomes a writer: what it read is closed first, its snapshot is of no more use.
  if (Verdict closed = Close(); closed.failed()) return closed;
  return access == Access::kRead ? OpenToRead() : OpenToWrite(access == Access::kCreate);
}

Options Session::OptionsFor(const std::string& path) const {
  Options options;
  // Which tables follow the options is told by those that the last writer had, and a write by hand must not change how
  // tables are written, unless it is told to.
  const absl::StatusOr<RecordedOptions> recorded = ReadRecordedOptions(path);
  if (recorded.ok()) recorded->ApplyTo(&options);
  options_.ApplyTo(&options);
  return options;
}

Verdict Session::OpenToRead() {
  Options options = OptionsFor(path_);
  options.read_only = true;
  absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options, path_);
  if (absl::IsNotFound(db.status())) return Verdict::NoDatabase(path_);
  if (!db.ok()) return NotOpened(db.status());
  db_ = *std::move(db);
  return Verdict::Yes();
}

Verdict Session::OpenToWrite(bool may_create) {
  Options options = OptionsFor(path_);
  absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options, path_);
  if (absl::IsNotFound(db.status())) {
    if (!may_create) return Verdict::NoDatabase(path_);
    options.create_if_missing = true;
    db = DB::Open(options, path_);
    if (db.ok() && says_notes_) fprintf(stderr, "kvtool: created database %s\n", path_.c_str());
  }
  if (!db.ok()) return NotOpened(db.status());
  db_ = *std::move(db);
  writable_ = true;
  return Verdict::Yes();
}

Verdict Session::NotOpened(const absl::Status& status) const {
  Verdict verdict = Verdict::NotOpened(status, path_);
  // The engine checks its options before it looks at the disk.
  if (absl::IsInvalidArgument(status) && options_.any()) {
    verdict.code = ExitCode::kUsage;
    verdict.hint = "change the option that is named";
  }
  return verdict;
}

Verdict Session::Close() {
  if (db_ == nullptr) return Verdict::Yes();
  const absl::Status status = db_->Close();
  db_.reset();
  writable_ = false;
  return status.ok() ? Verdict::Yes() : Verdict::Failed(status);
}

}  // namespace siltstone::tools

#pragma once

#include <memory>
#include <string>

#include "siltstone/db.h"

#include "tools/database_options.h"
#include "tools/exit_code.h"

namespace siltstone::tools {

// What a verb does to the database.
enum class Access {
  kNone,    // does not open it
  kRead,    // opens it read-only: takes no lock and changes nothing
  kWrite,   // changes it, where there is one
  kCreate,  // changes it, and creates it where there is none
};

// The database of one run of kvtool, opened when the first verb asks for it and kept for the following ones
// (the shell runs many). A read-only database is opened again when a verb wants to write.
//
// Thread safety: single-threaded.
class Session {
 public:
  // `says_notes`: tells on stderr when a database was created.
  Session(std::string path, const DatabaseOptions& options, bool says_notes)
      : path_(std::move(path)), options_(options), says_notes_(says_notes) {}

  // Makes db() usable for `access`.
  Verdict Open(Access access);

  // REQUIRES: Open succeeded.
  DB& db() { return *db_; }
  const std::string& path() const { return path_; }

  // The options to open the database at `path` with: those of the command line, then those on record there, then the
  // defaults.
  Options OptionsFor(const std::string& path) const;

  // Closes the database, if it is open, and tells of errors that only show then.
  Verdict Close();

 private:
  Verdict OpenToRead();
  Verdict OpenToWrite(bool may_create);
  Verdict NotOpened(const absl::Status& status) const;

  const std::string path_;
  const DatabaseOptions options_;
  const bool says_notes_;
  std::unique_ptr<DB> db_;
  bool writable_ = false;
};

}  // namespace siltstone::tools

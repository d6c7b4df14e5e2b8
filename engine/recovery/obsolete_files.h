#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "siltstone/file_system.h"

#include "base/mutex.h"

namespace siltstone {

// Files that nothing refers to any more and that wait to be deleted. Tables hand themselves in when the
// last iterator or version lets go of them, on any thread; a background thread deletes.
//
// While the newest manifest on disk may be an older one (Hold), nothing is deleted: that manifest may
// still name the files. Nor is anything once the database is closed. What is never deleted here is deleted by the next open.
//
// Thread-safe; no lock is held during I/O.
class ObsoleteFiles {
 public:
  ObsoleteFiles(std::shared_ptr<FileSystem> file_system, std::string directory)
      : file_system_(std::move(file_system)), directory_(std::move(directory)) {}

  void Add(const std::string& file_name);
  // Deletes what waits, unless held; one load when there is nothing. Errors are not fatal: the file stays garbage.
  void Delete();
  void Hold();
  void Release();

 private:
  const std::shared_ptr<FileSystem> file_system_;
  const std::string directory_;
  Mutex mutex_;
  std::atomic<bool> any_waiting_{false};  // a hint, so that asking costs no lock
  std::vector<std::string> waiting_ ABSL_GUARDED_BY(mutex_);
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace siltstone

#include "engine/recovery/obsolete_files.h"

#include <utility>

namespace siltstone {

void ObsoleteFiles::Add(const std::string& file_name) {
  MutexLock lock(mutex_);
  waiting_.push_back(file_name);
  any_waiting_.store(true, std::memory_order_release);
}

void ObsoleteFiles::Delete() {
  if (!any_waiting_.load(std::memory_order_acquire)) return;
  std::vector<std::string> files;
  {
    MutexLock lock(mutex_);
    if (held_) return;
    files.swap(waiting_);
    any_waiting_.store(false, std::memory_order_release);
  }
  for (const std::string& name : files) {
    file_system_->DeleteFile(directory_ + "/" + name).IgnoreError();
  }
}

void ObsoleteFiles::Hold() {
  MutexLock lock(mutex_);
  held_ = true;
}

void ObsoleteFiles::Release() {
  MutexLock lock(mutex_);
  held_ = false;
}

}  // namespace siltstone

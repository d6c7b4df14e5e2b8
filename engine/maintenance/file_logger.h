#pragma once

#include <memory>
#include <string_view>

#include "siltstone/file_system.h"
#include "siltstone/logger.h"

#include "base/mutex.h"

namespace siltstone {

// Writes messages to a file of the database, one line each: UTC time, level, message. The first error of the
// file ends the writing: messages are worth less than the database.
//
// Thread-safe.
class FileLogger final : public Logger {
 public:
  explicit FileLogger(std::unique_ptr<LogFile> file) : file_(std::move(file)) {}
  void Log(LogLevel level, std::string_view message) override;

 private:
  Mutex mutex_;
  std::unique_ptr<LogFile> file_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace siltstone

#include "engine/maintenance/file_logger.h"

#include <ctime>
#include <string>

namespace siltstone {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "?";
}

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  const size_t length = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, length);
}

}  // namespace

void FileLogger::Log(LogLevel level, std::string_view message) {
  std::string line = UtcNow();
  line.append(" ").append(LevelName(level)).append(" ").append(message).append("\n");
  MutexLock lock(mutex_);
  if (file_ != nullptr && !file_->Append(line).ok()) file_.reset();
}

}  // namespace siltstone

#pragma once

#include <string_view>

#include "siltstone/export.h"

namespace siltstone {

enum class LogLevel { kInfo, kWarning, kError };

// Receives the engine's messages, one line each, without time stamp or line end.
//
// Thread safety: Log is called from many threads at once, sometimes with locks of the engine held: it
// must not call into the database.
class SILTSTONE_EXPORT Logger {
 public:
  virtual ~Logger() = default;
  virtual void Log(LogLevel level, std::string_view message) = 0;
};

}  // namespace siltstone

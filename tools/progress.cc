#include "tools/progress.h"

#include <stdio.h>
#include <unistd.h>

#include <utility>

namespace siltstone::tools {

Progress::Progress(std::string what)
    : what_(std::move(what)), is_terminal_(isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (is_visible_) fputs("\r\033[K", stderr);
}

void Progress::Show() {
  const Clock::time_point now = Clock::now();
  const std::chrono::duration<double> elapsed = now - start_;
  if (elapsed.count() < 1 || now - shown_ < std::chrono::milliseconds(200)) return;
  shown_ = now;
  is_visible_ = true;
  fprintf(stderr, "\r%s %llu records, %.0f a second\033[K", what_.c_str(),
          static_cast<unsigned long long>(count_), static_cast<double>(count_) / elapsed.count());
  fflush(stderr);
}

}  // namespace siltstone::tools

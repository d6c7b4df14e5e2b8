#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace siltstone::tools {

// A line on stderr that tells how far long work is: only where stderr is a terminal, and only once the work
// has taken over a second.
//
//   Progress progress("imported");
//   for (...) progress.Advance();
//   (gone from the terminal when it is destroyed)
//
// Thread safety: single-threaded. Cost: a look at the clock every 1024 steps.
class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more record is done.
  void Advance() {
    if (++count_ % 1024 == 0 && is_terminal_) Show();
  }

 private:
  using Clock = std::chrono::steady_clock;

  void Show();

  const std::string what_;
  const bool is_terminal_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point shown_ = start_;
  bool is_visible_ = false;
  uint64_t count_ = 0;
};

}  // namespace siltstone::tools

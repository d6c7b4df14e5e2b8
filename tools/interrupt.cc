#include "tools/interrupt.h"

#include <signal.h>

namespace siltstone::tools {
namespace {

volatile sig_atomic_t interrupted = 0;

void OnInterrupt(int) { interrupted = 1; }

void InstallHandler() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a blocking read of stdin returns.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

void CatchInterrupts() {
  struct sigaction current = {};
  // A job started with SIGINT ignored (nohup, a background job of a script) keeps it so.
  if (sigaction(SIGINT, nullptr, &current) != 0 || current.sa_handler != SIG_IGN) InstallHandler();
  signal(SIGPIPE, SIG_IGN);
}

bool Interrupted() { return interrupted != 0; }

absl::Status CheckInterrupt() {
  return Interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
}

void ForgetInterrupt() {
  if (interrupted == 0) return;
  interrupted = 0;
  InstallHandler();
}

}  // namespace siltstone::tools

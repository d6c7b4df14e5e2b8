#include "tools/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <iterator>

#include <poll.h>

namespace siltstone::tools {
namespace {

volatile sig_atomic_t interrupted = 0;

// A byte lies in the pipe while `interrupted` is set, so that a wait can wait for the signal as well. (Which
// thread takes the signal is open, so a call that it interrupts is not enough.) Negative before CatchInterrupts.
int wake_pipe[2] = {-1, -1};

void OnInterrupt(int) {
  const int error = errno;
  interrupted = 1;
  // A full pipe wakes as well as one byte more.
  [[maybe_unused]] const ssize_t written = write(wake_pipe[1], "", 1);
  errno = error;
}

void InstallHandler() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigemptyset(&action.sa_mask);
  // Without SA_RESTART, so that a blocking write returns.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

}  // namespace

void CatchInterrupts() {
  struct sigaction current = {};
  // A job started with SIGINT ignored (nohup, a background job of a script) keeps it so.
  if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) wake_pipe[0] = wake_pipe[1] = -1;
  if (sigaction(SIGINT, nullptr, &current) != 0 || current.sa_handler != SIG_IGN) InstallHandler();
  signal(SIGPIPE, SIG_IGN);
}

bool Interrupted() { return interrupted != 0; }

absl::Status CheckInterrupt() {
  return Interrupted() ? absl::CancelledError("interrupted") : absl::OkStatus();
}

absl::Status WaitToRead(int fd) {
  // poll passes over a negative descriptor.
  pollfd waited[] = {{.fd = fd, .events = POLLIN, .revents = 0},
                     {.fd = wake_pipe[0], .events = POLLIN, .revents = 0}};
  int ready = -1;
  while (!Interrupted() && ready < 0) {
    ready = poll(waited, std::size(waited), /*timeout=*/-1);
    if (ready < 0 && errno != EINTR) break;  // the read will tell
  }
  return CheckInterrupt();
}

void ForgetInterrupt() {
  if (interrupted == 0) return;
  interrupted = 0;
  char bytes[64];
  while (read(wake_pipe[0], bytes, sizeof bytes) > 0) {
  }
  InstallHandler();
}

}  // namespace siltstone::tools

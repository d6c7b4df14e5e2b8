#pragma once

#include "absl/status/status.h"

namespace siltstone::tools {

// Makes the first SIGINT a wish to stop that long work asks for, and the second one end the process (which
// costs no acknowledged write). Also ignores SIGPIPE, so that a closed pipe is an error of write().
// Call once, before any thread starts.
void CatchInterrupts();

// Whether SIGINT came since the last ForgetInterrupt.
bool Interrupted();
// Cancelled when it did, OK otherwise.
absl::Status CheckInterrupt();
// Waits until `fd` can be read without waiting, or is at its end. Cancelled when SIGINT came, also just before
// the wait began: unlike a read that the signal interrupts, it cannot be missed.
absl::Status WaitToRead(int fd);
// For the shell: a SIGINT ends a verb, not the shell. Also takes the next SIGINT as the first again.
void ForgetInterrupt();

}  // namespace siltstone::tools

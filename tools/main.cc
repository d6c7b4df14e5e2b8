#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <string>
#include <vector>

#include "tools/interrupt.h"
#include "tools/run.h"

namespace {

// A standard descriptor that is closed would be given to the next file that is opened: data meant for stdout
// would then land in the database. Takes its place with one that refuses what it is for.
void HoldStandardDescriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF) continue;
    const int held = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (held != fd) _exit(static_cast<int>(siltstone::tools::ExitCode::kInternal));
  }
}

// Every table of an open database is an open file, and the usual limit is made for programs that open a few.
void AllowManyFiles() {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

}  // namespace

int main(int argc, char** argv) {
  HoldStandardDescriptors();
  AllowManyFiles();
  setlocale(LC_CTYPE, "");  // for the line editor
  siltstone::tools::CatchInterrupts();
  const char* database = getenv("KVTOOL_DB");
  try {
    const auto code = siltstone::tools::RunKvtool(std::vector<std::string>(argv + 1, argv + argc),
                                                  database == nullptr ? "" : database);
    return static_cast<int>(code);
  } catch (const std::exception& error) {
    // Memory that is not there, or a fault of a library: no exception is meant to come this far.
    fprintf(stderr, "kvtool: internal: %s\n", error.what());
    return static_cast<int>(siltstone::tools::ExitCode::kInternal);
  }
}

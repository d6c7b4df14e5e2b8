#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "tests/support/temporary_directory.h"

namespace siltstone::tools {

// One run of the built kvtool.
struct ProgramRun {
  int exit_code = -1;  // 128 + signal when a signal ended it
  std::string out;
  std::string err;
};

// Runs kvtool with `arguments`, the bytes of `input` on its stdin, and $KVTOOL_DB set to `database` (unset
// when that is empty). SILTSTONE_KVTOOL_PROGRAM in the environment names another program.
ProgramRun RunProgram(const std::vector<std::string>& arguments, const std::string& database,
                      const std::string& input = "");

// A kvtool that runs beside the test and reads what it is sent.
//
//   RunningProgram shell({"shell"}, database);
//   shell.Send("put k v\n");
//   ASSERT_TRUE(shell.WaitForNote("created"));
//   ProgramRun run = shell.Finish();
class RunningProgram {
 public:
  RunningProgram(const std::vector<std::string>& arguments, const std::string& database);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  void Send(const std::string& bytes);
  void Signal(int number);
  // Whether its stderr holds `part`, now or within a generous time.
  bool WaitForNote(const std::string& part) const;
  // Ends its stdin and waits for it.
  ProgramRun Finish();

 private:
  const TemporaryDirectory streams_;
  pid_t child_ = -1;
  int input_ = -1;
};

// The path of the program that is run.
std::string ProgramPath();

// The names and contents of all files of a directory, as one string.
std::string DirectoryContents(const std::string& path);

std::string ReadFileBytes(const std::string& path);
void WriteFileBytes(const std::string& path, const std::string& bytes);

}  // namespace siltstone::tools

#include "tests/tools/program_run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

namespace siltstone::tools {
namespace {

void Redirect(const std::string& path, int fd, bool to_write) {
  FILE* file = fopen(path.c_str(), to_write ? "w" : "r");
  if (file == nullptr || dup2(fileno(file), fd) != fd) _exit(125);
  fclose(file);
}

[[noreturn]] void BecomeProgram(const std::vector<std::string>& arguments,
                                const std::string& database) {
  if (database.empty()) {
    unsetenv("KVTOOL_DB");
  } else {
    setenv("KVTOOL_DB", database.c_str(), 1);
  }
  const std::string program = ProgramPath();
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program.c_str(), words.data());
  _exit(126);
}

int ExitCodeOfChild(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

std::string ProgramPath() {
  const char* other = getenv("SILTSTONE_KVTOOL_PROGRAM");
  return other == nullptr ? SILTSTONE_KVTOOL : other;
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments,
                               const std::string& database) {
  int ends[2];
  if (pipe(ends) != 0) ADD_FAILURE() << "no pipe";
  signal(SIGPIPE, SIG_IGN);  // a program that ends early is an answer, too
  child_ = fork();
  if (child_ == 0) {
    signal(SIGPIPE, SIG_DFL);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    Redirect(streams_.File("out"), STDOUT_FILENO, true);
    Redirect(streams_.File("err"), STDERR_FILENO, true);
    BecomeProgram(arguments, database);
  }
  close(ends[0]);
  input_ = ends[1];
}

RunningProgram::~RunningProgram() {
  if (child_ > 0) Finish();
}

void RunningProgram::Send(const std::string& bytes) {
  if (write(input_, bytes.data(), bytes.size()) < 0) ADD_FAILURE() << "the program reads no more";
}

void RunningProgram::Signal(int number) { kill(child_, number); }

bool RunningProgram::WaitForNote(const std::string& part) const {
  for (int i = 0; i < 3000; ++i) {
    if (ReadFileBytes(streams_.File("err")).find(part) != std::string::npos) return true;
    usleep(10000);
  }
  return false;
}

ProgramRun RunningProgram::Finish() {
  close(input_);
  int status = 0;
  EXPECT_EQ(waitpid(child_, &status, 0), child_);
  child_ = -1;
  return {.exit_code = ExitCodeOfChild(status),
          .out = ReadFileBytes(streams_.File("out")),
          .err = ReadFileBytes(streams_.File("err"))};
}

ProgramRun RunProgram(const std::vector<std::string>& arguments, const std::string& database,
                      const std::string& input) {
  const TemporaryDirectory streams;
  WriteFileBytes(streams.File("in"), input);
  const pid_t child = fork();
  if (child == 0) {
    Redirect(streams.File("in"), STDIN_FILENO, false);
    Redirect(streams.File("out"), STDOUT_FILENO, true);
    Redirect(streams.File("err"), STDERR_FILENO, true);
    BecomeProgram(arguments, database);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return {.exit_code = ExitCodeOfChild(status),
          .out = ReadFileBytes(streams.File("out")),
          .err = ReadFileBytes(streams.File("err"))};
}

std::string DirectoryContents(const std::string& path) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) {
      files[entry.path().string()] = ReadFileBytes(entry.path().string());
    }
  }
  std::string contents;
  for (const auto& [name, bytes] : files) {
    contents += name + " " + std::to_string(bytes.size()) + "\n" + bytes + "\n";
  }
  return contents;
}

std::string ReadFileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void WriteFileBytes(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

}  // namespace siltstone::tools

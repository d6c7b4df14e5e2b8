// kvtool on a terminal: a pseudo-terminal takes the place of the person's.

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_directory.h"
#include "tests/tools/program_run.h"
#include <poll.h>
#include <pty.h>

namespace siltstone::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// A kvtool whose stdin, stdout and stderr are one terminal. Single-threaded.
class TerminalProgram {
 public:
  TerminalProgram(std::vector<std::string> arguments, const std::string& home) {
    winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
    child_ = forkpty(&terminal_, nullptr, nullptr, &size);
    if (child_ != 0) return;
    setenv("HOME", home.c_str(), 1);
    setenv("TERM", "xterm", 1);
    arguments.insert(arguments.begin(), ProgramPath());
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    execv(words[0], words.data());
    _exit(126);
  }
  ~TerminalProgram() {
    if (child_ > 0) Finish();
  }
  TerminalProgram(const TerminalProgram&) = delete;
  TerminalProgram& operator=(const TerminalProgram&) = delete;

  void Type(const std::string& keys) {
    if (write(terminal_, keys.data(), keys.size()) < 0) ADD_FAILURE() << "the terminal is gone";
  }

  // Reads what is shown until `part` is among what came since the last call.
  bool See(const std::string& part) {
    while (shown_.find(part, seen_) == std::string::npos) {
      if (!ReadMore()) return false;
    }
    seen_ = shown_.find(part, seen_) + part.size();
    return true;
  }

  // Waits for the program to end; its exit code.
  int Finish() {
    while (ReadMore()) {
    }
    close(terminal_);
    int status = 0;
    EXPECT_EQ(waitpid(child_, &status, 0), child_);
    child_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  const std::string& shown() const { return shown_; }

 private:
  // False at the end, or when nothing comes for a very long time.
  bool ReadMore() {
    pollfd waited = {.fd = terminal_, .events = POLLIN, .revents = 0};
    char bytes[4096];
    if (poll(&waited, 1, 30000) <= 0) return false;
    const ssize_t count = read(terminal_, bytes, sizeof bytes);
    if (count <= 0) return false;
    shown_.append(bytes, static_cast<size_t>(count));
    return true;
  }

  pid_t child_ = -1;
  int terminal_ = -1;
  std::string shown_;
  size_t seen_ = 0;
};

class KvtoolTerminal : public ::testing::Test {
 protected:
  KvtoolTerminal() {
    RunProgram({"put", "apple", "red\t1"}, database_);
    RunProgram({"put", "banana", std::string(200, 'y')}, database_);
  }

  const TemporaryDirectory home_;
  const std::string database_ = home_.File("db");
};

TEST_F(KvtoolTerminal, AValueGetsANewline) {
  TerminalProgram program({"-d", database_, "get", "apple"}, home_.path());
  EXPECT_EQ(program.Finish(), 0);
  EXPECT_THAT(program.shown(), HasSubstr("red\t1\r\n"));
}

TEST_F(KvtoolTerminal, AScanIsATableCutToTheWidth) {
  TerminalProgram program({"-d", database_, "scan"}, home_.path());
  EXPECT_EQ(program.Finish(), 0);
  EXPECT_THAT(program.shown(), HasSubstr("key     value\r\napple   red\\t1\r\nbanana  yyy"));
  EXPECT_THAT(program.shown(), HasSubstr("yyy...\r\n"));
}

TEST_F(KvtoolTerminal, AnExportIsRefused) {
  TerminalProgram program({"-d", database_, "export"}, home_.path());
  EXPECT_EQ(program.Finish(), 2);
}

TEST_F(KvtoolTerminal, TheShellCompletesVerbsAndKeepsAHistory) {
  {
    TerminalProgram shell({"-d", database_, "shell"}, home_.path());
    ASSERT_TRUE(shell.See("kvtool> "));
    shell.Type("cou\t\n");
    ASSERT_TRUE(shell.See("2\r\n"));
    ASSERT_TRUE(shell.See("kvtool> "));
    shell.Type("exit\n");
    EXPECT_EQ(shell.Finish(), 0);
  }
  const std::string history = home_.File(".kvtool_history");
  EXPECT_THAT(ReadFileBytes(history), HasSubstr("count"));
  EXPECT_EQ(std::filesystem::status(history).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  TerminalProgram shell({"-d", database_, "shell"}, home_.path());
  ASSERT_TRUE(shell.See("kvtool> "));
  shell.Type("\x1b[A\x1b[A");  // twice up: past exit
  ASSERT_TRUE(shell.See("count"));
  shell.Type("\n");
  EXPECT_TRUE(shell.See("2\r\n"));
  shell.Type("exit\n");
  EXPECT_EQ(shell.Finish(), 0);
}

TEST_F(KvtoolTerminal, AnInterruptGivesUpTheLineAndNotTheShell) {
  TerminalProgram shell({"-d", database_, "shell"}, home_.path());
  ASSERT_TRUE(shell.See("kvtool> "));
  for (int i = 0; i < 2; ++i) {
    shell.Type("del apple");
    ASSERT_TRUE(shell.See("apple"));
    shell.Type("\x03");
    ASSERT_TRUE(shell.See("^C"));
    ASSERT_TRUE(shell.See("kvtool> "));
  }
  shell.Type("frob\ncount\n");
  EXPECT_TRUE(shell.See("unknown verb"));
  EXPECT_TRUE(shell.See("2\r\n"));
  shell.Type("exit\n");
  EXPECT_EQ(shell.Finish(), 0);
}

TEST_F(KvtoolTerminal, NoHistoryIsKeptWhereItCannotBe) {
  TerminalProgram shell({"-d", database_, "shell"}, home_.File("absent"));
  ASSERT_TRUE(shell.See("kvtool> "));
  shell.Type("exit\n");
  EXPECT_EQ(shell.Finish(), 0);
  EXPECT_THAT(shell.shown(), Not(HasSubstr("history")));
}

}  // namespace
}  // namespace siltstone::tools

// The built program, run as users run it.

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"
#include "tests/tools/program_run.h"
#include "tools/bytes_text.h"

namespace siltstone::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Kvtool : public ::testing::Test {
 protected:
  ProgramRun Run(const std::vector<std::string>& arguments, const std::string& input = "") const {
    return RunProgram(arguments, database_, input);
  }
  // Runs what must succeed, and returns its stdout.
  std::string Out(const std::vector<std::string>& arguments, const std::string& input = "") const {
    const ProgramRun run = Run(arguments, input);
    EXPECT_EQ(run.exit_code, 0) << ::testing::PrintToString(arguments) << run.err;
    return run.out;
  }
  void ExpectExit(int exit_code, const std::vector<std::string>& arguments,
                  const std::string& input = "") const {
    const ProgramRun run = Run(arguments, input);
    EXPECT_EQ(run.exit_code, exit_code) << ::testing::PrintToString(arguments) << run.err;
    if (exit_code < 2) return;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, StartsWith("kvtool: "));
  }

  // A file of the database whose name ends in `ending`.
  std::string DatabaseFile(const std::string& ending) const {
    for (const auto& entry : std::filesystem::directory_iterator(database_)) {
      if (entry.path().string().ends_with(ending)) return entry.path().string();
    }
    ADD_FAILURE() << "no file *" << ending;
    return "";
  }

  const TemporaryDirectory directory_;
  const std::string database_ = directory_.File("db");
};

void FlipByte(const std::string& path, size_t offset) {
  std::string bytes = ReadFileBytes(path);
  ASSERT_LT(offset, bytes.size());
  bytes[offset] = static_cast<char>(bytes[offset] ^ 0x55);
  WriteFileBytes(path, bytes);
}

// ---- reading and writing

TEST_F(Kvtool, GetPrintsTheValueAlone) {
  EXPECT_THAT(Run({"put", "k", "a value"}).err, HasSubstr("created database " + database_));
  EXPECT_THAT(Run({"put", "l", ""}).err, IsEmpty());
  EXPECT_EQ(Out({"get", "k"}), "a value");
  EXPECT_EQ(Out({"get", "l"}), "");
  EXPECT_EQ(Out({"get", "k", "-o", "hex"}), "612076616c7565\n");
  EXPECT_EQ(Out({"get", "k", "-o", "jsonl"}), "{\"key\":\"k\",\"value\":\"a value\"}\n");
}

TEST_F(Kvtool, GetOfAnAbsentKeyIsNo) {
  Out({"put", "k", "v"});
  const ProgramRun run = Run({"get", "absent"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(Run({"get", "absent", "-q"}).err, "");
}

TEST_F(Kvtool, GetOfSeveralKeysPrintsLines) {
  Out({"put", "k", "a\tb"});
  Out({"put", "l", "2"});
  EXPECT_EQ(Out({"get", "l", "k"}), "l\t2\nk\ta\\tb\n");
  const ProgramRun run = Run({"get", "k", "absent", "l"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.out, "k\ta\\tb\nl\t2\n");
}

TEST_F(Kvtool, PutTakesItsValueFromManyPlaces) {
  const std::string bytes("\0\xff\n", 3);
  WriteFileBytes(directory_.File("file"), bytes);
  Out({"put", "dash", "-x"});
  Out({"put", "stdin", "-"}, bytes);
  Out({"put", "file", "@" + directory_.File("file")});
  Out({"put", "--literal", "at", "@home"});
  Out({"put", "--", "-k", "--"});
  EXPECT_EQ(Out({"get", "dash"}), "-x");
  EXPECT_EQ(Out({"get", "stdin"}), bytes);
  EXPECT_EQ(Out({"get", "file"}), bytes);
  EXPECT_EQ(Out({"get", "at"}), "@home");
  EXPECT_EQ(Out({"get", "--", "-k"}), "--");
}

TEST_F(Kvtool, PutIfAbsentAnswersWhetherItDid) {
  ExpectExit(0, {"put", "--if-absent", "k", "1"});
  ExpectExit(1, {"put", "--if-absent", "k", "2"});
  EXPECT_EQ(Out({"get", "k"}), "1");
}

TEST_F(Kvtool, DelRemovesKeysAndCreatesNothing) {
  ExpectExit(3, {"del", "k"});
  EXPECT_FALSE(std::filesystem::exists(database_));
  Out({"put", "k", "v"});
  Out({"put", "l", "v"});
  Out({"del", "k", "absent"});
  EXPECT_EQ(Out({"scan"}), "l\tv\n");
}

TEST_F(Kvtool, ScanAndCountWalkARange) {
  for (const char* key : {"a1", "a2", "b1", "b2", "c"}) Out({"put", key, "v"});
  EXPECT_EQ(Out({"scan", "--keys-only"}), "a1\na2\nb1\nb2\nc\n");
  EXPECT_EQ(Out({"scan", "--prefix", "b"}), "b1\tv\nb2\tv\n");
  EXPECT_EQ(Out({"scan", "--from", "a2", "--to", "b2", "--keys-only"}), "a2\nb1\n");
  EXPECT_EQ(Out({"scan", "--reverse", "--limit", "2", "--keys-only"}), "c\nb2\n");
  EXPECT_EQ(Out({"scan", "--prefix", "a", "--reverse", "--keys-only"}), "a2\na1\n");
  EXPECT_EQ(Out({"scan", "--hex", "--prefix", "62", "--keys-only"}), "b1\nb2\n");
  EXPECT_EQ(Out({"scan", "--limit", "0"}), "");
  EXPECT_EQ(Out({"scan", "--prefix", "x"}), "");
  EXPECT_EQ(Out({"count"}), "5\n");
  EXPECT_EQ(Out({"count", "--from", "b"}), "3\n");
  EXPECT_EQ(Out({"count", "-o", "jsonl", "--prefix", "a"}), "{\"count\":2}\n");
}

TEST_F(Kvtool, BatchIsAllOrNothing) {
  EXPECT_THAT(Run({"batch"}, "put\tk\tv\nput\ta\\tb\t\\x00\ndel\tk\n").err, HasSubstr("created"));
  EXPECT_EQ(Out({"scan"}), "a\\tb\t\\0\n");
  const ProgramRun run = Run({"batch"}, "put\tx\t1\nput\ty\n");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("at line 2"));
  ExpectExit(1, {"get", "x"});
}

// ---- import and export

std::string SomeRecords() {
  std::mt19937_64 random(TestSeed());
  std::string lines = "\t\n";  // the empty key with the empty value
  for (int i = 0; i < 256; ++i) {
    std::string key(1, static_cast<char>(i));
    std::string value;
    for (uint64_t j = random() % 200; j > 0; --j) value += static_cast<char>(random());
    lines += EscapeField(key) + "\t" + EscapeField(value) + "\n";
  }
  return lines;
}

TEST_F(Kvtool, AnyBytesSurviveExportAndImport) {
  const std::string records = SomeRecords();
  EXPECT_THAT(Run({"import", "--format", "tsv"}, records).err, HasSubstr("imported 257 records"));
  EXPECT_EQ(Out({"scan"}), records);
  const std::string exported = Out({"export"});
  const std::string other = directory_.File("other");
  Out({"import", "-d", other}, exported);
  EXPECT_EQ(Out({"export", "-d", other}), exported);
  for (const std::string format : {"tsv", "csv", "jsonl"}) {
    const std::string copy = directory_.File(format);
    Out({"import", "-d", copy, "--format", format}, Out({"scan", "-o", format}));
    EXPECT_EQ(Out({"export", "-d", copy}), exported) << format;
  }
}

TEST_F(Kvtool, AnExportOfARangeHoldsThatRange) {
  Out({"import", "--format", "tsv"}, "a\t1\nb\t2\nc\t3\n");
  const std::string other = directory_.File("other");
  Out({"import", "-d", other}, Out({"export", "--from", "b", "--to", "c"}));
  EXPECT_EQ(Out({"scan", "-d", other}), "b\t2\n");
}

TEST_F(Kvtool, ACutExportIsRefused) {
  Out({"import", "--format", "tsv"}, "a\t1\nb\t2\n");
  const std::string exported = Out({"export"});
  const std::string other = directory_.File("other");
  for (const size_t kept : {exported.size() - 1, exported.size() - 17, size_t{25}, size_t{7}}) {
    const ProgramRun run = Run({"import", "-d", other}, exported.substr(0, kept));
    EXPECT_EQ(run.exit_code, 4) << kept;
    EXPECT_THAT(run.err, HasSubstr("cut"));
    EXPECT_THAT(run.err, HasSubstr("records read"));
  }
}

TEST_F(Kvtool, ADamagedExportInAFileChangesNothing) {
  Out({"import", "--format", "tsv"}, "a\t1\nb\t2\n");
  WriteFileBytes(directory_.File("export"), Out({"export"}));
  FlipByte(directory_.File("export"), 31);
  ExpectExit(4, {"import", "-d", directory_.File("other"), directory_.File("export")});
  EXPECT_FALSE(std::filesystem::exists(directory_.File("other")));
}

TEST_F(Kvtool, StanzasAreImportedByAField) {
  Out({"import", "--format", "deb822", "--key", "Package", "-"},
      "Package: bash\nVersion: 5\n\nPackage: dash\nVersion: 1\n");
  EXPECT_EQ(Out({"get", "dash"}), "Package: dash\nVersion: 1\n");
  EXPECT_EQ(Out({"count"}), "2\n");
}

TEST_F(Kvtool, BadImportDataNamesItsLineAndCreatesNothingUnlessItMust) {
  ExpectExit(4, {"import"}, "a\t1\n");
  ExpectExit(3, {"import", directory_.File("absent"), "--format", "tsv"});
  EXPECT_FALSE(std::filesystem::exists(database_));
  const ProgramRun run = Run({"import", "--format", "tsv"}, "a\t1\nb\n");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("in stdin at line 2; 1 records read, nothing written"));
}

TEST_F(Kvtool, AnImportOverManyBatchesIsWholeAndSaysWhatStays) {
  std::string lines;
  for (int i = 0; i < 300; ++i)
    lines += "key" + std::to_string(i) + "\t" + std::string(10000, 'v') + "\n";
  const ProgramRun run = Run({"import", "--format", "tsv"}, lines + "bad\n");
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr("300 records read, "));
  EXPECT_THAT(run.err, HasSubstr(" written, which stay"));
  Out({"import", "--format", "tsv"}, lines);
  EXPECT_EQ(Out({"count"}), "300\n");
}

// ---- reports

TEST_F(Kvtool, ReportsHaveJson) {
  Out({"import", "--format", "tsv", "--fp-chance", "0.02", "--filter-kind", "standard"},
      SomeRecords());
  Out({"compact"});
  const auto info = nlohmann::json::parse(Out({"info", "-o", "json"}));
  EXPECT_EQ(info["bloom_filter_fp_chance"], 0.02);
  EXPECT_EQ(info["filter_kind"], "standard-bloom");
  EXPECT_EQ(info["last_sequence"], 257);
  EXPECT_EQ(info["table_entries"], 257);
  const auto stats = nlohmann::json::parse(Out({"stats", "-o", "json"}));
  EXPECT_EQ(stats["last_sequence"], 257);
  EXPECT_EQ(stats["levels"].size(), 1u);
  const auto filters = nlohmann::json::parse(Out({"filters", "-o", "json", "--measure", "1000"}));
  ASSERT_EQ(filters["tables"].size(), 1u);
  EXPECT_EQ(filters["tables"][0]["configured"], 0.02);
  EXPECT_EQ(filters["tables"][0]["checks"], 1000);
  EXPECT_EQ(filters["total"]["keys"], 257);
  EXPECT_THAT(Out({"verify"}), HasSubstr("whole"));
}

TEST_F(Kvtool, AWriteKeepsTheOptionsOnRecord) {
  Out({"put", "k", "v", "--fp-chance", "0.05", "--compression", "none"});
  Out({"put", "l", "v"});
  const auto info = nlohmann::json::parse(Out({"info", "-o", "json"}));
  EXPECT_EQ(info["bloom_filter_fp_chance"], 0.05);
  EXPECT_EQ(info["compression"], "none");
}

TEST_F(Kvtool, FiltersTellWhichTablesHaveTheOldOptions) {
  Out({"import", "--format", "tsv", "--fp-chance", "0.1"}, SomeRecords());
  Out({"compact"});
  const auto report = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"filters", "-o", "json"};
    words.insert(words.end(), more.begin(), more.end());
    return nlohmann::json::parse(Out(words));
  };
  EXPECT_EQ(report({})["tables"][0]["options"], "in force");
  EXPECT_EQ(report({"--fp-chance", "0.01"})["tables"][0]["options"], "old");
  Out({"put", "another", "v", "--fp-chance", "0.01", "--filter-kind", "standard"});
  EXPECT_EQ(report({})["tables"][0]["options"], "old");
  EXPECT_EQ(report({})["tables"][0]["wanted"], 0.01);
  EXPECT_EQ(report({})["total"]["tables_with_old_options"], 1);
  Out({"compact"});
  EXPECT_EQ(report({})["total"]["tables_with_old_options"], 0);
  EXPECT_EQ(report({})["tables"][0]["kind"], "standard-bloom");
}

TEST_F(Kvtool, FiltersAdviseFromWhatTheyMeasured) {
  Out({"import", "--format", "tsv", "--fp-chance", "0.3"}, SomeRecords());
  Out({"compact"});
  const auto report =
      nlohmann::json::parse(Out({"filters", "-o", "json", "--measure", "2000", "--advise"}));
  EXPECT_EQ(report["levels"][0]["checks"], 2000);
  const int wasted = report["levels"][0]["false_positives"];
  EXPECT_GT(wasted, 100);
  bool found = false;
  for (const auto& line : report["advice"]) {
    if (line["chance"] != 0.01 || line["allocation"] != "uniform") continue;
    found = true;
    EXPECT_EQ(line["wasted_of_seen"], 20);
    EXPECT_EQ(line["saved_of_seen"], wasted - 20);
  }
  EXPECT_TRUE(found);
  EXPECT_THAT(Out({"filters", "--advise", "-o", "table"}), HasSubstr("by-level"));
}

TEST_F(Kvtool, TheAllocationStaysOnRecord) {
  Out({"put", "k", "v", "--filter-allocation", "by-level"});
  Out({"put", "l", "v"});
  EXPECT_EQ(nlohmann::json::parse(Out({"info", "-o", "json"}))["filter_allocation"], "by-level");
}

TEST_F(Kvtool, ExplainTellsTheOutcome) {
  Out({"put", "k", "v"});
  Out({"compact"});
  EXPECT_THAT(Out({"explain", "k"}), HasSubstr("the value is here"));
  const ProgramRun run = Run({"explain", "absent"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("outcome: absent"));
  const auto report = nlohmann::json::parse(Out({"explain", "k", "-o", "jsonl"}));
  EXPECT_EQ(report["found"], true);
  EXPECT_EQ(report["data_blocks_from_file"], 1);
}

// ---- what must not happen

TEST_F(Kvtool, ReadingVerbsLeaveTheDatabaseByteForByte) {
  // Little memory makes for small logs, which are quickly compared.
  Out({"import", "--format", "tsv", "--memory-budget", "1M"}, SomeRecords());
  Out({"put", "k", "v", "--memory-budget", "1M"});
  const std::string before = DirectoryContents(database_);
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"get", "k"},
                                             {"get", "k", "l"},
                                             {"scan"},
                                             {"count"},
                                             {"export"},
                                             {"info"},
                                             {"stats"},
                                             {"filters", "--measure", "10"},
                                             {"explain", "k"},
                                             {"verify"}}) {
    Run(words);
    ASSERT_EQ(DirectoryContents(database_) == before, true) << words[0];
  }
  Out({"shell"}, "get k\nscan --limit 1\n");
  EXPECT_EQ(DirectoryContents(database_) == before, true) << "shell";
}

TEST_F(Kvtool, ReadingVerbsCreateNothing) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"get", "k"},
                                             {"scan"},
                                             {"count"},
                                             {"export"},
                                             {"info"},
                                             {"stats"},
                                             {"filters"},
                                             {"explain", "k"},
                                             {"verify"},
                                             {"compact"}}) {
    ExpectExit(3, words);
    ASSERT_FALSE(std::filesystem::exists(database_)) << words[0];
  }
}

// ---- exit codes

TEST_F(Kvtool, UsageFaultsAreTwo) {
  ExpectExit(2, {});
  ExpectExit(2, {"frob"});
  ExpectExit(2, {"get"});
  ExpectExit(2, {"get", "-k"});
  ExpectExit(2, {"scan", "--limit", "x"});
  ExpectExit(2, {"put", "k", "v", "--memory-budget", "1M", "--write-buffer", "1M"});
  EXPECT_EQ(RunProgram({"get", "k"}, "").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(database_));
}

TEST_F(Kvtool, WhatCannotBeOpenedIsThree) {
  WriteFileBytes(directory_.File("file"), "x");
  ExpectExit(3, {"-d", directory_.File("file"), "get", "k"});
  ExpectExit(3, {"-d", directory_.File("file"), "put", "k", "v"});
  ExpectExit(3, {"-d", directory_.path(), "get", "k"});
  ExpectExit(3, {"-d", directory_.File("a/b"), "put", "k", "v"});
  ExpectExit(3, {"put", "k", "@" + directory_.File("absent")});
}

TEST_F(Kvtool, CorruptionIsFour) {
  Out({"put", "k", std::string(1000, 'v'), "--compression", "none"});
  Out({"compact"});
  FlipByte(DatabaseFile(".sst"), 100);
  const ProgramRun run = Run({"get", "k"});
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_THAT(run.err, HasSubstr(".sst"));
  ExpectExit(4, {"verify"});
  FlipByte(database_ + "/CURRENT", 3);
  ExpectExit(4, {"get", "k"});
  ExpectExit(4, {"put", "k", "v"});
}

TEST_F(Kvtool, VerifyDeepComparesEveryWayToRead) {
  Out({"put", "a", "1"});
  Out({"put", "b", "2"});
  Out({"compact"});
  Out({"put", "b", "3"});
  Out({"del", "a"});
  Out({"put", "c", ""});
  EXPECT_THAT(Out({"verify", "--deep", "-o", "tsv"}), HasSubstr("entries_compared\t2\n"));
}

TEST_F(Kvtool, RepairIsADryRunUntilToldToApply) {
  std::string lines;
  for (int i = 100; i < 150; ++i) {
    lines += "k" + std::to_string(i) + "\t" + std::string(200, 'v') + "\n";
  }
  Out({"import", "--format", "tsv", "--compression", "none"}, lines);
  Out({"compact", "--block-size", "512"});
  EXPECT_THAT(Out({"repair", "-o", "tsv"}), HasSubstr("entries\t50\nkey_and_value_bytes\t10200\n"));
  FlipByte(DatabaseFile(".sst"), 100);
  const std::string before = DirectoryContents(database_);
  const ProgramRun dry = Run({"repair", "-o", "tsv"});
  EXPECT_EQ(dry.exit_code, 4);
  EXPECT_THAT(dry.out, HasSubstr("loss_1_first_key\tk100\n"));
  EXPECT_THAT(dry.err, HasSubstr("repair --apply"));
  EXPECT_EQ(DirectoryContents(database_), before);
  const std::string repaired = database_ + "-repaired";
  ExpectExit(3, {"-d", repaired, "get", "k149"});
  EXPECT_THAT(Out({"repair", "--apply"}), HasSubstr(repaired));
  EXPECT_EQ(Out({"-d", repaired, "get", "k149"}), std::string(200, 'v'));
  EXPECT_THAT(Out({"-d", repaired, "verify", "--deep"}), HasSubstr("whole"));
  // What is there already is not written over.
  EXPECT_NE(Run({"repair", "--apply"}).exit_code, 0);
}

TEST_F(Kvtool, AFullDeviceIsFive) {
  Out({"put", "k", "v"});
  const std::string shell_line =
      ProgramPath() + " -d " + database_ + " scan > /dev/full 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(system(shell_line.c_str())), 5);
}

TEST_F(Kvtool, AClosedStdoutIsFiveAndHarmless) {
  Out({"put", "k", "v"});
  const std::string shell_line = ProgramPath() + " -d " + database_ + " get k >&- 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(system(shell_line.c_str())), 5);
  EXPECT_EQ(Out({"get", "k"}), "v");
}

// Whoever made the pipe may have made it so for ends of their own; a slow reader fills it.
TEST_F(Kvtool, ANonBlockingStdoutIsWaitedFor) {
  std::string lines;
  for (int i = 0; i < 2000; ++i) lines += std::to_string(i) + "\t" + std::string(200, 'v') + "\n";
  Out({"import", "--format", "tsv"}, lines);
  const std::string expected = Out({"scan"});
  ASSERT_GT(expected.size(), size_t{300'000});
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execl(ProgramPath().c_str(), "kvtool", "-d", database_.c_str(), "scan", nullptr);
    _exit(127);
  }
  close(ends[1]);
  // Until the pipe is full.
  for (int queued = 0, before = -1; queued == 0 || queued != before; usleep(50'000)) {
    before = queued;
    ASSERT_EQ(ioctl(ends[0], FIONREAD, &queued), 0);
  }
  std::string out;
  char bytes[4096];
  for (ssize_t count; (count = read(ends[0], bytes, sizeof(bytes))) > 0;) {
    out.append(bytes, static_cast<size_t>(count));
  }
  close(ends[0]);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(out, expected);
}

TEST_F(Kvtool, AReaderThatHasEnoughIsNoFault) {
  std::string lines;
  for (int i = 0; i < 20000; ++i) lines += std::to_string(i) + "\tvalue\n";
  Out({"import", "--format", "tsv"}, lines);
  const std::string program = ProgramPath() + " -d " + database_;
  const auto code_before_pipe = [&](const std::string& verb) {
    const std::string command = "bash -c '" + program + " " + verb +
                                " 2>/dev/null | head -c 1 >/dev/null; exit ${PIPESTATUS[0]}'";
    return WEXITSTATUS(system(command.c_str()));
  };
  EXPECT_EQ(code_before_pipe("scan"), 0);
  EXPECT_EQ(code_before_pipe("export"), 5);
}

TEST_F(Kvtool, AHeldLockIsSixAndReadersGoOn) {
  RunningProgram shell({"shell"}, database_);
  shell.Send("put k v\nput l v\n");
  ASSERT_TRUE(shell.WaitForNote("created"));
  ExpectExit(6, {"put", "k", "w"});
  EXPECT_THAT(Run({"compact"}).err, HasSubstr("held by"));
  ExpectExit(0, {"count"});
  EXPECT_EQ(shell.Finish().exit_code, 0);
  ExpectExit(0, {"put", "k", "w"});
}

TEST_F(Kvtool, AnInterruptedImportIs130AndKeepsTheDatabaseWhole) {
  RunningProgram import({"import", "--format", "tsv"}, database_);
  import.Send("a\t1\nb\t2\nand a line that goes on");
  ASSERT_TRUE(import.WaitForNote("created"));
  import.Signal(SIGINT);
  const ProgramRun run = import.Finish();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_THAT(run.err, HasSubstr("interrupted; 2 records read, nothing written"));
  EXPECT_EQ(Out({"count"}), "0\n");
}

// ---- the shell

TEST_F(Kvtool, TheShellRunsVerbsFromAPipe) {
  const ProgramRun run = Run({"shell"},
                             "put \"a key\" \"x\\ty\\x21\"\n"
                             "\n# a comment\n"
                             "get \"a key\"\n"
                             "put b -5\n"
                             "scan -o csv\n"
                             "count\n"
                             "exit\n"
                             "get nothing after exit\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "x\ty!\nkey,value\na key,x\ty!\nb,-5\n2\n");
}

TEST_F(Kvtool, TheShellGoesOnAfterAFaultAndTellsOfItAtItsEnd) {
  const ProgramRun run = Run({"shell"}, "put k v\nfrob\nget \"k\nget k\nput x @/absent\n");
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_EQ(run.out, "v\n");
  EXPECT_THAT(run.err, HasSubstr("unknown verb \"frob\""));
  EXPECT_THAT(run.err, HasSubstr("/absent"));
}

TEST_F(Kvtool, AnAbsentKeyIsNoFaultOfAShellScript) {
  EXPECT_EQ(Run({"shell"}, "put k v\nget absent\n").exit_code, 0);
}

TEST_F(Kvtool, TheShellReadsItsOwnWrites) {
  Out({"put", "k", "1"});
  EXPECT_EQ(Out({"shell"}, "get k\nput k 2\nget k\ndel k\ncount\n"), "1\n2\n0\n");
}

}  // namespace
}  // namespace siltstone::tools

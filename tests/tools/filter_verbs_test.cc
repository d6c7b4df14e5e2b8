// The filter verbs of the built program, run as users run them.

#include <sys/stat.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "siltstone/filter.h"

#include "tests/support/temporary_directory.h"
#include "tests/tools/program_run.h"
#include "tools/filter_files.h"

namespace siltstone::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class FilterVerbs : public ::testing::Test {
 protected:
  using Words = std::vector<std::string>;

  ProgramRun Run(const Words& arguments, const std::string& input = "") const {
    return RunProgram(arguments, "", input);
  }
  // Runs what must succeed, and returns its stdout.
  std::string Out(const Words& arguments, const std::string& input = "") const {
    const ProgramRun run = Run(arguments, input);
    EXPECT_EQ(run.exit_code, 0) << ::testing::PrintToString(arguments) << run.err;
    return run.out;
  }
  void ExpectFault(int exit_code, const std::string& part, const Words& arguments,
                   const std::string& input = "") const {
    const ProgramRun run = Run(arguments, input);
    EXPECT_EQ(run.exit_code, exit_code) << ::testing::PrintToString(arguments) << run.err;
    EXPECT_THAT(run.out, IsEmpty());
    EXPECT_THAT(run.err, StartsWith("kvtool: "));
    EXPECT_THAT(run.err, HasSubstr(part));
  }
  std::string File(const std::string& name) const { return directory_.File(name); }
  nlohmann::json Info(const std::string& name) const {
    return nlohmann::json::parse(Out({"filter", "info", File(name), "-o", "json"}));
  }

  const TemporaryDirectory directory_;
};

std::string NumberedKeys(const std::string& prefix, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) lines += prefix + std::to_string(i) + '\n';
  return lines;
}

// ---- plan

TEST_F(FilterVerbs, PlanPrintsTheSizingTable) {
  struct Row {
    std::string items, fp, bits, bits_per_key, bytes, kib, k;
    std::string before_rounding;
    double predicted, digit;  // digit: the last one that is known
  };
  const Row rows[] = {
      {"1000000", "0.1", "4792530", "4.793", "599067", "585.0", "3", "3.322", 0.10071, 1e-5},
      {"1000000", "0.01", "9585059", "9.585", "1198133", "1170.1", "7", "6.644", 0.01004, 1e-5},
      {"1000000", "0.001", "14377588", "14.378", "1797199", "1755.1", "10", "9.966", 0.00100002,
       1e-8},
      {"50000000", "0.001", "718879379", "14.378", "89859923", "87753.8", "10", "9.966", 0.00100002,
       1e-8},
      {"1000000000", "0.01", "9585058378", "9.585", "1198132298", "1170051.1", "7", "6.644",
       0.01004, 1e-5}};
  for (const Row& row : rows) {
    const std::string line = Out({"filter", "plan", "--items", row.items, "--fp", row.fp, "--kind",
                                  "standard", "-o", "tsv"});
    EXPECT_THAT(line, StartsWith("standard\t" + row.items + "\t" + row.fp + "\t" + row.bits + "\t" +
                                 row.bits_per_key + "\t" + row.bytes + "\t" + row.kib + "\t" +
                                 row.k + "\t" + row.before_rounding + "\t"));
    EXPECT_NEAR(std::stod(line.substr(line.rfind('\t'))), row.predicted, row.digit / 2);
  }
}

TEST_F(FilterVerbs, PlanWithoutAKindListsAll) {
  const std::string table = Out({"filter", "plan", "--items", "1000", "--fp", "0.01"});
  for (const std::string kind : {"standard", "bloom", "counting", "cuckoo", "scalable", "exact"}) {
    EXPECT_THAT(table, HasSubstr("\n" + kind + " "));
  }
  EXPECT_THAT(table, StartsWith("kind "));
}

TEST_F(FilterVerbs, PlanRefusesWhatIsOutOfRange) {
  ExpectFault(2, "legal are", {"filter", "plan", "--items", "0"});
  ExpectFault(2, "legal are", {"filter", "plan", "--items", "2000000000000"});
  ExpectFault(2, "legal are", {"filter", "plan", "--items", "1", "--fp", "1"});
}

// ---- build, query

TEST_F(FilterVerbs, QueryAnswersEachKeyInOrder) {
  for (const Filter::Kind kind : kFilterFileKinds) {
    const std::string name(FilterKindName(kind));
    const ProgramRun plan = Run({"filter", "plan", "--items", "9", "--kind", name});
    if (plan.exit_code != 0) continue;  // not in this version
    Out({"filter", "build", "--kind", name, "--fp", "0.000001", File("f")}, "apple\nbanana\n");
    const ProgramRun query = Run({"filter", "query", File("f")}, "banana\ncherry\napple\n");
    EXPECT_EQ(query.out, "maybe\tbanana\nno\tcherry\nmaybe\tapple\n") << name;
    EXPECT_EQ(query.exit_code, 1) << name;
    EXPECT_EQ(Out({"filter", "query", File("f")}, "apple\nbanana"),
              "maybe\tapple\nmaybe\tbanana\n");
    EXPECT_EQ(Info("f")["kind"], name);
  }
}

TEST_F(FilterVerbs, EmptyInputIsNoKeys) {
  Out({"filter", "build", File("f")});
  EXPECT_EQ(Info("f")["keys"], 0);
  EXPECT_EQ(Out({"filter", "query", File("f")}), "");
  EXPECT_EQ(Out({"filter", "query", File("f"), "-o", "json"}), "[]\n");
  EXPECT_EQ(Run({"filter", "query", File("f")}, "\n").out, "no\t\n");
}

TEST_F(FilterVerbs, KeysAreAnyBytes) {
  const std::string binary("new\nline\0\xff\r\0\0tab\t\0", 18);
  const std::string keys[] = {"new\nline", "\xff\r", "", "tab\t"};
  Out({"filter", "build", "-0", "--kind", "exact", File("f")}, binary);
  EXPECT_EQ(Info("f")["keys"], 4);
  EXPECT_EQ(Out({"filter", "query", "--null", File("f")}, binary),
            "maybe\tnew\\nline\nmaybe\t\xff\\r\nmaybe\t\nmaybe\ttab\\t\n");
  EXPECT_EQ(Out({"filter", "query", "-0", "-o", "hex", File("f")}, "tab\t"), "maybe\t74616209\n");
  // What one key of all bytes is can be said in hex only.
  const std::string hex = "00ff0a0d\n\n";
  Out({"filter", "build", "--hex", "--kind", "exact", File("g")}, hex);
  EXPECT_EQ(Out({"filter", "query", "--hex", "-o", "hex", File("g")}, hex),
            "maybe\t00ff0a0d\nmaybe\t\n");
  ExpectFault(4, "in stdin at line 2", {"filter", "build", "--hex", File("h")}, "00\n0g\n");
  EXPECT_EQ(Run({"filter", "info", File("h")}).exit_code, 3);
}

TEST_F(FilterVerbs, ACarriageReturnIsPartOfTheKey) {
  Out({"filter", "build", "--kind", "exact", File("f")}, "a\r\n");
  EXPECT_EQ(Run({"filter", "query", File("f")}, "a\na\r\n").out, "no\ta\nmaybe\ta\\r\n");
}

TEST_F(FilterVerbs, KeysMayComeFromAFile) {
  WriteFileBytes(File("keys"), "one\ntwo\n");
  Out({"filter", "build", File("f"), File("keys")});
  EXPECT_EQ(Out({"filter", "query", File("f"), File("keys")}), "maybe\tone\nmaybe\ttwo\n");
  ExpectFault(3, "cannot read", {"filter", "build", File("f"), File("none")});
}

TEST_F(FilterVerbs, AnswersComeInEveryFormat) {
  Out({"filter", "build", "--kind", "exact", File("f")}, "a,b\n");
  EXPECT_EQ(Out({"filter", "query", File("f"), "-o", "csv"}, "a,b\n"),
            "answer,key\nmaybe,\"a,b\"\n");
  EXPECT_EQ(Out({"filter", "query", File("f"), "-o", "jsonl"}, "a,b\n"),
            "{\"answer\":\"maybe\",\"key\":\"a,b\"}\n");
}

TEST_F(FilterVerbs, AFilterPassesThroughPipes) {
  const std::string bytes = Out({"filter", "build", "-"}, "a\n");
  WriteFileBytes(File("f"), bytes);
  WriteFileBytes(File("keys"), "a\n");
  EXPECT_EQ(Out({"filter", "query", "-", File("keys")}, bytes), "maybe\ta\n");
  EXPECT_THAT(Out({"filter", "info", "-"}, bytes), HasSubstr("standard"));
  EXPECT_EQ(Out({"filter", "union", "-", "-", File("f")}, bytes), bytes);
}

TEST_F(FilterVerbs, AnOverfilledFilterIsTold) {
  const ProgramRun run =
      Run({"filter", "build", "--items", "1000", File("f")}, NumberedKeys("k", 2000));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_THAT(run.err, HasSubstr("keys and was made for 1000"));
  const nlohmann::json info = Info("f");
  EXPECT_EQ(info["overfilled"], "yes");
  EXPECT_EQ(info["capacity"], 1000);
  EXPECT_NEAR(info["predicted"].get<double>(), 0.157, 0.02);
  EXPECT_EQ(Run({"filter", "build", "-q", "--items", "9", File("f")}, NumberedKeys("k", 20)).err,
            "");
  ExpectFault(5, "full", {"filter", "build", "--kind", "cuckoo", "--items", "100", File("g")},
              NumberedKeys("k", 1000));
  EXPECT_EQ(Run({"filter", "info", File("g")}).exit_code, 3);
}

TEST_F(FilterVerbs, ASecretSeedIsTheOwnersAlone) {
  Out({"filter", "build", "--secret-seed", File("f")}, "a\n");
  Out({"filter", "build", "--secret-seed", File("g")}, "a\n");
  EXPECT_EQ(Out({"filter", "query", File("f")}, "a\n"), "maybe\ta\n");
  EXPECT_EQ(Info("f")["seed"], "secret");
  struct stat about = {};
  ASSERT_EQ(stat(File("f").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0600u);
  ExpectFault(2, "seed", {"filter", "union", File("u"), File("f"), File("g")});
}

// ---- union

TEST_F(FilterVerbs, UnionIsTheFilterOfAllKeys) {
  const FilterVerbs::Words build = {"filter", "build", "--items", "100"};
  const auto make = [&](const std::string& name, const std::string& keys) {
    FilterVerbs::Words words = build;
    words.push_back(File(name));
    Out(words, keys);
  };
  make("a", "1\n2\n");
  make("b", "3\n");
  make("c", "4\n5\n");
  make("all", "1\n2\n3\n4\n5\n");
  Out({"filter", "union", File("u"), File("a"), File("b"), File("c")});
  const auto parse = [&](const std::string& name) {
    return *BloomFilter::Parse(ReadFileBytes(File(name)));
  };
  EXPECT_EQ(parse("u")->bits(), parse("all")->bits());
  EXPECT_EQ(Info("u")["keys"], 5);
  Out({"filter", "union", File("a"), File("a"), File("b")});  // in place
  EXPECT_EQ(Out({"filter", "query", File("a")}, "1\n3\n"), "maybe\t1\nmaybe\t3\n");
}

TEST_F(FilterVerbs, UnionRefusesAMismatchAndChangesNothing) {
  Out({"filter", "build", "--items", "100", File("a")}, "1\n");
  Out({"filter", "build", "--items", "200", File("b")}, "1\n");
  Out({"filter", "build", "--kind", "cuckoo", File("c")}, "1\n");
  WriteFileBytes(File("out"), "mine");
  ExpectFault(2, "cannot unite " + File("a") + " with " + File("b"),
              {"filter", "union", File("out"), File("a"), File("b")});
  ExpectFault(2, File("c") + " is of kind cuckoo",
              {"filter", "union", File("out"), File("a"), File("c")});
  ExpectFault(3, File("none"), {"filter", "union", File("out"), File("a"), File("none")});
  EXPECT_EQ(ReadFileBytes(File("out")), "mine");
}

// ---- info, faults of files

TEST_F(FilterVerbs, InfoTellsTheHealthOfAFilter) {
  Out({"filter", "build", "--fp", "0.01", File("f")}, NumberedKeys("k", 10000));
  const nlohmann::json info = Info("f");
  EXPECT_EQ(info["kind"], "standard");
  EXPECT_EQ(info["capacity"], 10000);
  EXPECT_EQ(info["bits"], 95851);
  EXPECT_NEAR(info["bits_per_key"].get<double>(), 9.585, 0.1);
  EXPECT_NEAR(info["fill_ratio"].get<double>(), 0.5, 0.05);
  EXPECT_EQ(info["configured"], 0.01);
  EXPECT_NEAR(info["predicted"].get<double>(), 0.01, 0.003);
  EXPECT_EQ(info["overfilled"], "no");
  EXPECT_EQ(info["seed"], "public");
  EXPECT_THAT(Out({"filter", "info", File("f")}), HasSubstr("fill_ratio"));
}

TEST_F(FilterVerbs, ADamagedFileIsRefused) {
  Out({"filter", "build", File("f")}, "a\n");
  const std::string whole = ReadFileBytes(File("f"));
  for (const size_t offset : {size_t{0}, size_t{20}, whole.size() / 2, whole.size() - 1}) {
    std::string bytes = whole;
    bytes[offset] = static_cast<char>(bytes[offset] ^ 0x55);
    WriteFileBytes(File("f"), bytes);
    ExpectFault(4, "in " + File("f"), {"filter", "query", File("f")}, "a\n");
    ExpectFault(4, "in " + File("f"), {"filter", "info", File("f")});
    ExpectFault(4, "in " + File("f"), {"filter", "union", File("u"), File("f")});
  }
  WriteFileBytes(File("f"), whole.substr(0, whole.size() - 1));
  ExpectFault(4, "in " + File("f"), {"filter", "info", File("f")});
  WriteFileBytes(File("f"), "");
  ExpectFault(4, "in " + File("f"), {"filter", "info", File("f")});
}

TEST_F(FilterVerbs, FilesThatCannotBeOpenedAre3) {
  ExpectFault(3, "cannot read", {"filter", "query", File("none")}, "a\n");
  ExpectFault(3, "cannot read", {"filter", "info", directory_.path()});
  ExpectFault(3, "No such file", {"filter", "build", File("no/such/f")}, "a\n");
}

TEST_F(FilterVerbs, OnlyRegularFilesAreReplaced) {
  ASSERT_EQ(mkfifo(File("pipe").c_str(), 0600), 0);
  ExpectFault(3, "not a regular file", {"filter", "build", File("pipe")}, "a\n");
  ExpectFault(3, "not a regular file", {"filter", "build", directory_.path()}, "a\n");
  struct stat about = {};
  ASSERT_EQ(stat(File("pipe").c_str(), &about), 0);
  EXPECT_TRUE(S_ISFIFO(about.st_mode));
}

// ---- export, the shell

TEST_F(FilterVerbs, ExportHoldsTheKeysOfADatabase) {
  std::string puts;
  for (int i = 0; i < 50; ++i) puts += "put user:" + std::to_string(i) + " v\nput ghost v\n";
  ASSERT_EQ(Run({"-d", File("db"), "shell"}, puts).exit_code, 0);
  ASSERT_EQ(Run({"-d", File("db"), "del", "user:7"}).exit_code, 0);

  Out({"-d", File("db"), "filter", "export", "--fp", "0.000001", File("f")});
  EXPECT_EQ(Info("f")["keys"], 50);
  EXPECT_EQ(Info("f")["seed"], "public");
  EXPECT_EQ(Run({"filter", "query", File("f")}, "user:1\nuser:7\nghost\n").out,
            "maybe\tuser:1\nno\tuser:7\nmaybe\tghost\n");

  Out({"-d", File("db"), "filter", "export", "--prefix", "user:", "--kind", "bloom", File("f")});
  EXPECT_EQ(Info("f")["keys"], 49);
  EXPECT_EQ(Info("f")["kind"], "bloom");
  Out({"-d", File("db"), "filter", "export", "--from", "user:1", "--to", "user:2", File("f")});
  EXPECT_EQ(Info("f")["keys"], 11);
  // A filter of the keys alone, made by hand, is the same.
  const std::string keys = Out({"-d", File("db"), "scan", "--keys-only", "-o", "hex"});
  EXPECT_EQ(Out({"filter", "build", "--hex", "-"}, keys),
            Out({"-d", File("db"), "filter", "export", "-"}));
}

TEST_F(FilterVerbs, OnlyExportWantsADatabase) {
  ExpectFault(2, "no database named", {"filter", "export", File("f")});
  ExpectFault(3, "no database at", {"-d", File("none"), "filter", "export", File("f")});
  Out({"-d", File("none"), "filter", "plan", "--items", "10"});
  EXPECT_EQ(Run({"filter", "info", File("f")}).exit_code, 3);
}

TEST_F(FilterVerbs, TheShellHasThemToo) {
  WriteFileBytes(File("keys"), "a\n");
  const ProgramRun run = Run({"-d", File("db"), "shell"},
                             "filter build " + File("f") + " " + File("keys") + "\nfilter query " +
                                 File("f") + " " + File("keys") + "\nput k v\nfilter export " +
                                 File("g") + "\nfilter info " + File("g") + "\nhelp filter\n");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith("maybe\ta\n"));
  EXPECT_THAT(run.out, HasSubstr("predicted"));
  EXPECT_THAT(run.out, HasSubstr("usage: filter plan"));
  EXPECT_EQ(Run({"-d", File("db"), "shell"}, "filter build " + File("f") + "\n").exit_code, 2);
}

// ---- a filter keeps its word

size_t LinesBeginningWith(const std::string& text, std::string_view start) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    if (text.compare(at, start.size(), start) == 0) ++count;
  }
  return count;
}

TEST_F(FilterVerbs, UsersAreFoundAndGhostsAreAsRareAsPromised) {
  constexpr int kKeys = 1'000'000;
  const std::string users = NumberedKeys("user:", kKeys);
  const std::string ghosts = NumberedKeys("ghost:", kKeys);
  struct Target {
    std::string fp;
    double m, k;
  };
  for (const Target& target : {Target{"0.1", 4'792'530, 3}, Target{"0.01", 9'585'059, 7},
                               Target{"0.001", 14'377'588, 10}}) {
    Out({"filter", "build", "--items", std::to_string(kKeys), "--fp", target.fp, File("f")}, users);
    // Exit code 0: maybe for each of them.
    EXPECT_EQ(LinesBeginningWith(Out({"filter", "query", File("f")}, users), "maybe\t"),
              size_t{kKeys});
    const ProgramRun query = Run({"filter", "query", File("f")}, ghosts);
    EXPECT_EQ(query.exit_code, 1);
    const double maybe = static_cast<double>(LinesBeginningWith(query.out, "maybe\t"));
    const double rate = std::pow(-std::expm1(-target.k * kKeys / target.m), target.k);
    const double deviation = std::sqrt(kKeys * rate * (1 - rate));
    EXPECT_NEAR(maybe, kKeys * rate, 4 * deviation) << "target " << target.fp;
    RecordProperty("false_positives_at_" + target.fp, static_cast<int>(maybe));
  }
}

}  // namespace
}  // namespace siltstone::tools

#include "tools/command_line.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/verb_table.h"

namespace siltstone::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Words = std::vector<std::string>;

CommandLine Parse(const Words& words, CommandScope scope = CommandScope::kProgram) {
  CommandLine command;
  const Verdict verdict = ParseCommandLine(words, AllVerbs(), scope, {}, &command);
  EXPECT_EQ(verdict.code, ExitCode::kYes) << verdict.message;
  return command;
}

// "filter", "plan" of "filter plan".
Words WordsOf(const Verb& verb) {
  const size_t space = verb.name.find(' ');
  if (space == std::string_view::npos) return {std::string(verb.name)};
  return {std::string(verb.name.substr(0, space)), std::string(verb.name.substr(space + 1))};
}

Words Joined(Words one, const Words& other) {
  one.insert(one.end(), other.begin(), other.end());
  return one;
}

Words Operands(const Words& words) { return Parse(words).arguments.operands; }

void ExpectFault(const Words& words, const std::string& part,
                 CommandScope scope = CommandScope::kProgram) {
  CommandLine command;
  const Verdict verdict = ParseCommandLine(words, AllVerbs(), scope, {}, &command);
  EXPECT_EQ(verdict.code, ExitCode::kUsage) << ::testing::PrintToString(words);
  EXPECT_THAT(verdict.message, HasSubstr(part)) << ::testing::PrintToString(words);
  EXPECT_THAT(verdict.message, Not(HasSubstr("\n")));
  EXPECT_THAT(verdict.hint, Not(IsEmpty()));
}

TEST(CommandLine, GlobalOptionsStandBeforeAndAfterTheVerb) {
  for (const Words& words :
       {Words{"-d", "x", "-o", "json", "get", "k"}, Words{"get", "k", "-d", "x", "-ojson"},
        Words{"--db=x", "get", "--output", "json", "k"}, Words{"-dx", "get", "-o", "json", "k"}}) {
    const CommandLine command = Parse(words);
    EXPECT_EQ(command.globals.database_path, "x");
    EXPECT_EQ(command.globals.format, OutputFormat::kJson);
    EXPECT_EQ(command.verb->name, "get");
    EXPECT_THAT(command.arguments.operands, ElementsAre("k"));
  }
}

TEST(CommandLine, TheLaterGlobalOptionWins) {
  EXPECT_EQ(Parse({"-d", "x", "get", "k", "-d", "y"}).globals.database_path, "y");
}

TEST(CommandLine, OperandsReachTheVerbByteForByte) {
  const std::string nul("a\0b", 3);
  EXPECT_THAT(Operands({"get", "[a,b]", "{}", "", "%%", "a=b", nul, "\xff", "-", "get", "help"}),
              ElementsAre("[a,b]", "{}", "", "%%", "a=b", nul, "\xff", "-", "get", "help"));
}

TEST(CommandLine, OptionValuesReachTheVerbByteForByte) {
  for (const std::string value : {"", "{}", "[a,b]", "-x", "--", "--to", "a=b", "\xff"}) {
    EXPECT_EQ(Parse({"scan", "--from", value}).arguments.from, value);
    EXPECT_EQ(Parse({"scan", "--from=" + value}).arguments.from, value);
  }
}

TEST(CommandLine, OperandsBehindTwoDashesMayBeginWithADash) {
  EXPECT_THAT(Operands({"get", "--", "-k", "--db", "--"}), ElementsAre("-k", "--db", "--"));
  EXPECT_THAT(Operands({"put", "--", "-k", "-v"}), ElementsAre("-k", "-v"));
  ExpectFault({"get", "-k"}, "unknown option \"-k\"");
  ExpectFault({"get", "k", "--frm"}, "unknown option \"--frm\"");
}

TEST(CommandLine, TheValueOfPutMayBeginWithADash) {
  for (const std::string value : {"-x", "-5", "-hello", "-dx", "--unknown", "--unknown=1", "-"}) {
    EXPECT_THAT(Operands({"put", "k", value}), ElementsAre("k", value));
    EXPECT_THAT(Operands({"put", "k", value, "-d", "x"}), ElementsAre("k", value));
    EXPECT_THAT(Operands({"put", "-d", "x", "k", value}), ElementsAre("k", value));
  }
  EXPECT_THAT(Operands({"put", "k", "-d", "x", "v"}), ElementsAre("k", "v"));
  EXPECT_THAT(Operands({"put", "k", "--", "-d"}), ElementsAre("k", "-d"));
  ExpectFault({"put", "-k", "v"}, "unknown option \"-k\"");
}

TEST(CommandLine, EveryUsageFaultSaysWhatAndGivesAHint) {
  ExpectFault({}, "no verb");
  ExpectFault({"-d", "x"}, "no verb");
  ExpectFault({"--frob", "get", "k"}, "unknown option \"--frob\"");
  ExpectFault({"frob"}, "unknown verb \"frob\"");
  ExpectFault({"get"}, "too few operands");
  ExpectFault({"put", "k"}, "too few operands");
  ExpectFault({"put", "k", "v", "w"}, "too many operands");
  ExpectFault({"scan", "k"}, "too many operands");
  ExpectFault({"scan", "--limit", "-1"}, "--limit");
  ExpectFault({"scan", "--limit", "1x"}, "--limit");
  ExpectFault({"scan", "--limit"}, "--limit");
  ExpectFault({"scan", "--limit", "1", "--limit", "2"}, "--limit");
  ExpectFault({"scan", "--prefix", "a", "--from", "b"}, "--prefix excludes");
  ExpectFault({"count", "--prefix", "a", "--to", "b"}, "--prefix excludes");
  ExpectFault({"get", "k", "-o", "xml"}, "\"xml\"");
  ExpectFault({"get", "k", "-d", ""}, "--db");
  ExpectFault({"get", "k", "-d"}, "--db");
  ExpectFault({"get", "--hex", "0g"}, "hex");
  ExpectFault({"scan", "--hex", "--prefix", "0"}, "hex");
  ExpectFault({"import", "--format", "xml"}, "\"xml\"");
  ExpectFault({"import", "--format", "deb822"}, "--key");
  ExpectFault({"import", "--key", "Package"}, "--key");
  ExpectFault({"put", "k", "v", "--fp-chance", "0"}, "--fp-chance");
  ExpectFault({"put", "k", "v", "--fp-chance", "nan"}, "--fp-chance");
  ExpectFault({"put", "k", "v", "--filter-kind", "cuckoo"}, "--filter-kind");
  ExpectFault({"put", "k", "v", "--write-buffer", "4X"}, "--write-buffer");
  ExpectFault({"put", "k", "v", "--memory-budget", "99999999999999T"}, "--memory-budget");
}

TEST(CommandLine, ANearVerbIsSuggested) {
  CommandLine command;
  const Verdict verdict =
      ParseCommandLine({"gte", "k"}, AllVerbs(), CommandScope::kProgram, {}, &command);
  EXPECT_THAT(verdict.hint, HasSubstr("'get'"));
  const Verdict of_two_words =
      ParseCommandLine({"filter", "biuld"}, AllVerbs(), CommandScope::kProgram, {}, &command);
  EXPECT_THAT(of_two_words.hint, HasSubstr("'filter build'"));
}

TEST(CommandLine, AVerbMayHaveTwoWords) {
  const CommandLine command =
      Parse({"-o", "json", "filter", "build", "-0", "--items", "7", "--kind=cuckoo", "file"});
  EXPECT_EQ(command.verb->name, "filter build");
  EXPECT_THAT(command.arguments.operands, ElementsAre("file"));
  EXPECT_TRUE(command.arguments.filter.nul_ended);
  EXPECT_EQ(command.arguments.filter.items, 7u);
  EXPECT_EQ(command.arguments.filter.kind, Filter::Kind::kCuckoo);
  EXPECT_EQ(Parse({"filters"}).verb->name, "filters");
}

TEST(CommandLine, FaultsOfTheSecondWordNameTheWordsThereAre) {
  ExpectFault({"filter"}, "filter needs a second word: plan, build, query");
  ExpectFault({"filter", "-o", "json"}, "filter needs a second word");
  ExpectFault({"filter", "frobnicate"}, "unknown verb \"filter frobnicate\"");
  ExpectFault({"filter plan"}, "unknown verb \"filter plan\"");
  ExpectFault({"get", "plan", "--frob"}, "unknown option");
  for (const Words& words : {Words{"filter", "--help"}, Words{"help", "filter"}}) {
    EXPECT_THAT(Parse(words).text, HasSubstr("usage: kvtool [global options] filter plan"));
    EXPECT_THAT(Parse(words).text, HasSubstr("filter union [options] OUT IN..."));
  }
}

TEST(CommandLine, FaultsOfTheFilterVerbs) {
  ExpectFault({"filter", "plan"}, "--items");
  ExpectFault({"filter", "plan", "--items", "x"}, "--items");
  ExpectFault({"filter", "plan", "--items", "1", "--fp", "0"}, "--fp");
  ExpectFault({"filter", "plan", "--items", "1", "--kind", "frob"}, "one of standard, bloom");
  ExpectFault({"filter", "build"}, "too few operands");
  ExpectFault({"filter", "build", "f", "--items", "0"}, "--items 0");
  ExpectFault({"filter", "build", "f", "-0", "--hex"}, "--null excludes --hex");
  ExpectFault({"filter", "query", "-", "-"}, "stdin");
  ExpectFault({"filter", "query", "-"}, "stdin");
  ExpectFault({"filter", "union", "out"}, "too few operands");
  ExpectFault({"filter", "union", "out", "-", "-"}, "stdin");
  ExpectFault({"filter", "export", "f", "--prefix", "a", "--to", "b"}, "--prefix excludes");
}

TEST(CommandLine, HexKeysAreDecodedAndValuesAreNot) {
  EXPECT_THAT(Operands({"get", "--hex", "00ff", "41"}), ElementsAre(std::string("\0\xff", 2), "A"));
  EXPECT_THAT(Operands({"put", "--hex", "41", "42"}), ElementsAre("A", "42"));
  EXPECT_EQ(Parse({"scan", "--hex", "--from", "41"}).arguments.from, "A");
}

TEST(CommandLine, DatabaseOptionsAreUnderstood) {
  const CommandLine command =
      Parse({"--fp-chance", "0.001", "put", "k", "v", "--filter-kind=standard", "--compression",
             "none", "--memory-budget", "16M", "--block-size", "8KiB", "--durability", "buffered"});
  Options options;
  command.globals.database.ApplyTo(&options);
  EXPECT_EQ(options.bloom_filter_fp_chance, 0.001);
  EXPECT_EQ(options.filter_kind, FilterKind::kStandardBloom);
  EXPECT_EQ(options.compression, Compression::kNone);
  EXPECT_EQ(options.memory_budget_bytes, size_t{16} << 20);
  EXPECT_EQ(options.write_buffer_size_bytes, size_t{4} << 20);
  EXPECT_EQ(options.block_size_bytes, 8192u);
  EXPECT_EQ(options.durability, Durability::kBuffered);
}

TEST(CommandLine, HelpNeedsNoOperandsAndNoDatabase) {
  EXPECT_THAT(Parse({"--help"}).text, HasSubstr("Verbs:"));
  EXPECT_THAT(Parse({"help"}).text, HasSubstr("Verbs:"));
  for (const Verb& verb : AllVerbs()) {
    const std::string usage = "usage: kvtool [global options] " + std::string(verb.name);
    const Words name = WordsOf(verb);
    EXPECT_THAT(Parse(Joined(name, {"--help"})).text, HasSubstr(usage));
    EXPECT_THAT(Parse(Joined({"help"}, name)).text, HasSubstr(usage));
    EXPECT_THAT(Parse(Joined({"-h"}, name)).text, HasSubstr(usage));
  }
  EXPECT_THAT(Parse({"--version"}).text, HasSubstr("kvtool "));
}

TEST(CommandLine, TheShellHasItsDatabaseAndKeepsStdin) {
  ExpectFault({"get", "k", "-d", "x"}, "-d", CommandScope::kShell);
  ExpectFault({"put", "k", "-"}, "stdin", CommandScope::kShell);
  ExpectFault({"import"}, "stdin", CommandScope::kShell);
  ExpectFault({"batch", "-"}, "stdin", CommandScope::kShell);
  ExpectFault({"filter", "build", "f"}, "stdin", CommandScope::kShell);
  ExpectFault({"filter", "query", "f", "-"}, "stdin", CommandScope::kShell);
  EXPECT_THAT(Parse({"put", "--literal", "k", "-"}, CommandScope::kShell).arguments.operands,
              ElementsAre("k", "-"));
}

TEST(DatabaseOptions, SizesHaveUnits) {
  EXPECT_EQ(ParseSize("0"), 0u);
  EXPECT_EQ(ParseSize("4096"), 4096u);
  EXPECT_EQ(ParseSize("64k"), 65536u);
  EXPECT_EQ(ParseSize("64KB"), 65536u);
  EXPECT_EQ(ParseSize("1MiB"), 1048576u);
  EXPECT_EQ(ParseSize("2G"), uint64_t{2} << 30);
  for (const char* bad :
       {"", "K", "-1", "1.5M", "1 M", "1m", "1Ki", "18446744073709551616", "17179869184G"}) {
    EXPECT_EQ(ParseSize(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace siltstone::tools

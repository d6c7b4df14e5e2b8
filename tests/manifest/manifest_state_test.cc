#include "engine/manifest/manifest_state.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/to_absl.h"
#include "tests/manifest/manifest_fixture.h"

namespace siltstone {
namespace {

using manifest_test::FirstEdit;
using manifest_test::FirstState;
using manifest_test::MakeMeta;

const KeyOrder kBytewise(BytewiseComparator());

// "[epoch:]number"
FileId ParseId(const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) return {1, std::stoull(text)};
  return {std::stoull(text.substr(0, colon)), std::stoull(text.substr(colon + 1))};
}

void AddTable(int level, std::istringstream& words, VersionEdit* edit) {
  std::string id, smallest, largest;
  words >> id >> smallest >> largest;
  manifest_test::SequenceRange sequences;
  SequenceNumber first, last;
  if (words >> first >> last) sequences = {first, last};
  TableMeta meta = MakeMeta(ParseId(id).number, smallest, largest, sequences);
  meta.epoch = ParseId(id).epoch;
  edit->added.push_back({level, meta});
}

void ParsePart(const std::string& part, VersionEdit* edit) {
  std::istringstream words(part);
  std::string verb, argument;
  words >> verb;
  if (verb[0] == '+') {
    AddTable(std::stoi(verb.substr(1)), words, edit);
    return;
  }
  words >> argument;
  if (verb == "order") {
    edit->comparator_name = argument;
    return;
  }
  const FileId id = ParseId(argument);
  if (verb[0] == '-') {
    edit->removed.push_back({std::stoi(verb.substr(1)), id.epoch, id.number});
  } else if (verb == "log+") {
    edit->logs_begun.push_back({id.epoch, id.number, 4096});
  } else if (verb == "log=") {
    uint64_t size = 0;
    words >> size;
    edit->logs_sealed.push_back({id.epoch, id.number, size});
  } else if (verb == "log-") {
    edit->logs_retired.push_back({id.epoch, id.number});
  } else if (verb == "seq") {
    edit->last_sequence = id.number;
  } else if (verb == "next") {
    edit->next_file_number = id.number;
  } else if (verb == "epoch") {
    edit->epoch = id.number;
  } else {
    ADD_FAILURE() << "unknown part: " << part;
  }
}

VersionEdit ParseEdit(const std::string& line) {
  VersionEdit edit;
  for (const absl::string_view part : absl::StrSplit(line, ';')) {
    ParsePart(std::string(part), &edit);
  }
  return edit;
}

std::string Describe(const ManifestState& state) {
  std::string text;
  for (int level = 0; level < kLevelCount; ++level) {
    const auto& tables = state.levels[static_cast<size_t>(level)];
    if (!tables.empty()) absl::StrAppend(&text, "L", level, ":");
    for (const TableMeta& table : tables) absl::StrAppend(&text, " ", table.number);
    if (!tables.empty()) absl::StrAppend(&text, " ");
  }
  if (!state.logs.empty()) absl::StrAppend(&text, "| logs");
  for (const ManifestLog& log : state.logs) {
    absl::StrAppend(&text, " ", log.number, "(", log.minimum_size, ")");
    if (log.sealed_size.has_value()) absl::StrAppend(&text, "=", *log.sealed_size);
  }
  if (!state.logs.empty()) absl::StrAppend(&text, " ");
  return absl::StrCat(text, "| seq ", state.last_sequence, " next ", state.next_file_number);
}

std::string Apply(const VersionEdit& edit, ManifestState* state) {
  const ManifestState before = *state;
  const absl::Status status = state->Apply(edit, kBytewise);
  if (status.ok()) return Describe(*state);
  EXPECT_EQ(*state, before) << "an edit that does not fit changed the state";
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  std::string message(status.message());
  const std::string prefix = "version edit does not fit: ";
  EXPECT_THAT(message, ::testing::StartsWith(prefix));
  return message.substr(std::min(prefix.size(), message.size()));
}

TEST(ManifestState, EditsFoldAsTheCasesSay) {
  std::ifstream file(std::string(SILTSTONE_SOURCE_DIR) + "/tests/manifest/fold_cases.txt");
  ASSERT_TRUE(file.good());
  ManifestState state = FirstState();
  std::string line, result = Describe(state);
  int number = 0, cases = 0;
  while (std::getline(file, line)) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("=> ", 0) == 0) {
      EXPECT_EQ(result, line.substr(3)) << "line " << number;
      state = FirstState();
      ++cases;
      continue;
    }
    result = Apply(ParseEdit(line), &state);
  }
  EXPECT_GT(cases, 35);
}

TEST(ManifestState, TheSnapshotOfAStateMakesThatState) {
  ManifestState state = FirstState();
  for (const char* line :
       {"epoch 3; seq 500; next 70", "+0 5 a z 1 9; +0 6 a z 10 19; +0 7 a z 20 20",
        "+1 8 a c; +1 9 d f; +6 2:10 a z", "log+ 11; log= 11 444; log+ 3:12"}) {
    ASSERT_TRUE(state.Apply(ParseEdit(line), kBytewise).ok()) << line;
  }
  state.table_options = {FilterKind::kStandardBloom, 0.25, Compression::kNone};
  const auto edit = DecodeVersionEdit(EncodeVersionEdit(SnapshotOf(state)));
  ASSERT_TRUE(edit.ok()) << edit.status();
  ManifestState copy;
  ASSERT_TRUE(copy.Apply(*edit, kBytewise).ok());
  EXPECT_EQ(copy, state);
}

TEST(ManifestState, AnEmptyStateTakesNoEditWithoutAnEpoch) {
  ManifestState state;
  EXPECT_FALSE(state.Apply(VersionEdit{}, kBytewise).ok());
  EXPECT_TRUE(state.Apply(FirstEdit(), kBytewise).ok());
  EXPECT_EQ(state.comparator_name, BytewiseComparator()->name());
}

TEST(ManifestState, TheOrderIsThatOfTheComparator) {
  ManifestState state = FirstState();
  const KeyOrder reverse(manifest_test::ReverseComparator());
  VersionEdit edit;
  edit.added = {{1, MakeMeta(5, "c", "a")}, {1, MakeMeta(6, "z", "x")}};
  ASSERT_TRUE(state.Apply(edit, reverse).ok());
  EXPECT_EQ(state.levels[1][0].number, 6u);
  edit.added = {{1, MakeMeta(7, "a", "c")}};
  EXPECT_FALSE(state.Apply(edit, reverse).ok());
}

}  // namespace
}  // namespace siltstone

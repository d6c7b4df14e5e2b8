#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/manifest/current_file.h"
#include "engine/manifest/manifest_reader.h"
#include "engine/manifest/manifest_writer.h"
#include "engine/wal/log_format.h"
#include "tests/manifest/manifest_fixture.h"
#include "tests/support/fault_file_system.h"

namespace siltstone {
namespace {

using manifest_test::FirstEdit;
using manifest_test::FirstState;
using manifest_test::MakeMeta;
using ::testing::HasSubstr;

const KeyOrder kOrder(BytewiseComparator());
constexpr TableId kDatabase = {11, 22};
constexpr char kManifestPath[] = "/MANIFEST-000001-000000000001";

VersionEdit AddTable(uint64_t number) {
  VersionEdit edit;
  edit.added = {{0, MakeMeta(number, "a", "z", {number * 10, number * 10 + 9})}};
  edit.last_sequence = number * 10 + 9;
  return edit;
}

class ManifestFile : public ::testing::Test {
 protected:
  // A manifest of the first edit and one that adds a table for each of 2 to `last`.
  ManifestWriter* Write(uint64_t last) {
    auto writer = ManifestWriter::Create(*fs_, "/", {1, 1}, kDatabase, FirstEdit());
    EXPECT_TRUE(writer.ok()) << writer.status();
    states_ = {FirstState()};
    for (uint64_t number = 2; number <= last; ++number) {
      EXPECT_TRUE((*writer)->Append(AddTable(number)).ok());
      states_.push_back(states_.back());
      EXPECT_TRUE(states_.back().Apply(AddTable(number), kOrder).ok());
    }
    writer_ = *std::move(writer);
    return writer_.get();
  }

  // Appends one more edit; returns where its record begins.
  uint64_t AppendTable(uint64_t number) {
    const uint64_t offset = writer_->size_bytes();
    EXPECT_TRUE(writer_->Append(AddTable(number)).ok());
    states_.push_back(states_.back());
    EXPECT_TRUE(states_.back().Apply(AddTable(number), kOrder).ok());
    return offset;
  }

  absl::StatusOr<ManifestState> Read(const ManifestReadOptions& options = {},
                                     std::vector<std::string>* lost = nullptr) {
    const auto current = ReadCurrent(*fs_, "/");
    if (!current.ok()) return current.status();
    return ReadManifest(*fs_, "/", *current, options, lost);
  }

  std::string Bytes() {
    auto bytes = fs_->ReadFile(kManifestPath);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    return *std::move(bytes);
  }

  void Replace(const std::string& bytes) {
    ASSERT_TRUE(fs_->ReplaceFile(kManifestPath, bytes).ok());
  }

  // Whether the state is one that the manifest has been in.
  bool IsPastState(const ManifestState& state) const {
    return std::find(states_.begin(), states_.end(), state) != states_.end();
  }

  std::shared_ptr<FileSystem> fs_ = NewMemoryFileSystem();
  std::unique_ptr<ManifestWriter> writer_;
  std::vector<ManifestState> states_;  // after each edit
};

TEST_F(ManifestFile, ReadsBackWhatWasWritten) {
  const auto writer = Write(9);
  EXPECT_EQ(writer->file_name(), "MANIFEST-000001-000000000001");
  const auto current = ReadCurrent(*fs_, "/");
  ASSERT_TRUE(current.ok()) << current.status();
  EXPECT_EQ(*current, (CurrentFile{{1, 1}, kDatabase}));
  const auto state = Read();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(*state, states_.back());
  EXPECT_EQ(state->levels[0].front().number, 9u);
}

TEST_F(ManifestFile, IsAllocatedAndGrows) {
  auto writer = Write(2);
  EXPECT_EQ(Bytes().size(), ManifestWriter::kAllocationBytes);
  for (uint64_t number = 3; writer->size_bytes() < 3 * ManifestWriter::kAllocationBytes; ++number) {
    ASSERT_TRUE(writer->Append(AddTable(number)).ok());
    ASSERT_TRUE(states_.back().Apply(AddTable(number), kOrder).ok());
  }
  const auto state = Read();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(*state, states_.back());
}

TEST_F(ManifestFile, ASnapshotMayBeLargerThanTheAllocation) {
  ManifestState state = FirstState();
  VersionEdit edit;
  for (uint64_t number = 2; number < 3000; ++number) {
    edit.added.push_back({1, MakeMeta(number, "k" + std::to_string(10000 + number),
                                      "k" + std::to_string(10000 + number))});
  }
  ASSERT_TRUE(state.Apply(edit, kOrder).ok());
  const auto writer = ManifestWriter::Create(*fs_, "/", {1, 1}, kDatabase, SnapshotOf(state));
  ASSERT_TRUE(writer.ok()) << writer.status();
  const auto read = Read();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, state);
}

TEST_F(ManifestFile, EveryBitFlipInWhatWasWrittenIsDataLossOrSalvaged) {
  const uint64_t used = Write(4)->size_bytes();
  const std::string bytes = Bytes();
  const size_t stride = 3;  // every bit of a byte in turn, each byte twice or more
  for (size_t bit = 0; bit < used * 8; bit += stride) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    Replace(damaged);
    const auto state = Read();
    if (state.ok()) {
      // Only the last record can pass for one that a crash cut short, and only by its end mark's flips.
      ASSERT_TRUE(IsPastState(*state)) << "bit " << bit;
    } else {
      ASSERT_EQ(state.status().code(), absl::StatusCode::kDataLoss) << state.status();
      ASSERT_THAT(std::string(state.status().message()), HasSubstr("MANIFEST-000001-000000000001"));
    }
    std::vector<std::string> lost;
    const auto salvaged = Read({.salvage = true}, &lost);
    if (salvaged.ok()) {
      ASSERT_TRUE(IsPastState(*salvaged)) << "bit " << bit;
      ASSERT_EQ(lost.empty(), state.ok()) << "bit " << bit;
    }
  }
}

TEST_F(ManifestFile, ABitFlipIsNeverSilentBelowTheLastEdit) {
  Write(3);
  const uint64_t below_last = AppendTable(4);
  const std::string bytes = Bytes();
  for (size_t offset = 0; offset < below_last; ++offset) {
    std::string damaged = bytes;
    damaged[offset] = static_cast<char>(damaged[offset] ^ 0x10);
    Replace(damaged);
    ASSERT_EQ(Read().status().code(), absl::StatusCode::kDataLoss) << offset;
  }
}

TEST_F(ManifestFile, EveryTruncationIsDataLoss) {
  const uint64_t used = Write(4)->size_bytes();
  const std::string bytes = Bytes();
  for (uint64_t size = 0; size < used + 64; ++size) {
    Replace(bytes.substr(0, size));
    ASSERT_EQ(Read().status().code(), absl::StatusCode::kDataLoss) << size;
  }
  Replace(bytes.substr(0, bytes.size() - 1));
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ManifestFile, AnEditThatACrashCutShortWasNeverInForce) {
  auto writer = Write(3);
  const uint64_t before = writer->size_bytes();
  ASSERT_TRUE(writer->Append(AddTable(4)).ok());
  std::string bytes = Bytes();
  for (uint64_t end = before; end < writer->size_bytes(); ++end) {
    std::string cut = bytes;
    std::fill(cut.begin() + static_cast<std::ptrdiff_t>(end), cut.end(), '\0');
    Replace(cut);
    const auto state = Read();
    ASSERT_TRUE(state.ok()) << state.status() << " at " << end;
    ASSERT_EQ(*state, states_.back()) << end;
  }
}

TEST_F(ManifestFile, WithoutAnEditIsDataLossEvenInSalvage) {
  Write(1);
  std::string bytes = Bytes();
  std::fill(bytes.begin() + kLogHeaderBytes, bytes.end(), '\0');
  Replace(bytes);
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kDataLoss);
  std::vector<std::string> lost;
  EXPECT_EQ(Read({.salvage = true}, &lost).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ManifestFile, SalvageKeepsWhatStandsBeforeTheDamageAndSaysSo) {
  Write(3);
  const uint64_t damaged_at = AppendTable(4) + kRecordHeaderBytes + 8;
  ASSERT_TRUE(writer_->Append(AddTable(5)).ok());
  std::string bytes = Bytes();
  bytes[damaged_at] = static_cast<char>(bytes[damaged_at] ^ 1);
  Replace(bytes);
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kDataLoss);
  std::vector<std::string> lost;
  const auto state = Read({.salvage = true}, &lost);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(*state, states_[2]);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_THAT(lost[0], HasSubstr("in MANIFEST-000001-000000000001 at offset"));
  EXPECT_THAT(lost[0], HasSubstr("kept the 3 version edits"));
}

// A right record, but an edit that does not fit: as a faulty writer would leave it.
class FaultyWriter : public ManifestFile {
 protected:
  void WriteRecords(const std::vector<std::pair<uint64_t, VersionEdit>>& records) {
    LogHeader header;
    header.kind = LogKind::kManifest;
    header.database_id = kDatabase;
    header.epoch = 1;
    header.number = 1;
    auto log = LogWriter::Create(*fs_, header, kManifestPath, ManifestWriter::kAllocationBytes);
    ASSERT_TRUE(log.ok()) << log.status();
    for (const auto& record : records) {
      ASSERT_TRUE((*log)->Append(EncodeVersionEdit(record.second), record.first).ok());
    }
    ASSERT_TRUE((*log)->Sync().ok());
    ASSERT_TRUE(WriteCurrent(*fs_, "/", {{1, 1}, kDatabase}).ok());
  }

  std::string Error() {
    const auto state = Read();
    if (state.ok()) return "ok";
    EXPECT_EQ(state.status().code(), absl::StatusCode::kDataLoss);
    return std::string(state.status().message());
  }
};

TEST_F(FaultyWriter, AnEditThatDoesNotFitNamesFileAndOffset) {
  WriteRecords({{1, FirstEdit()}, {2, AddTable(2)}, {3, AddTable(2)}, {4, AddTable(5)}});
  EXPECT_THAT(Error(), HasSubstr("table 000001-000000000002.sst is added, but level 0 holds it "
                                 "already, in MANIFEST-000001-000000000001 at offset "));
  std::vector<std::string> lost;
  const auto state = Read({.salvage = true}, &lost);
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->levels[0].size(), 1u);
  EXPECT_EQ(lost.size(), 1u);
}

TEST_F(FaultyWriter, AMissingEditIsDataLoss) {
  WriteRecords({{1, FirstEdit()}, {3, AddTable(3)}});
  EXPECT_THAT(Error(), HasSubstr("version edit number: observed 3, expected 2, in MANIFEST-"));
}

TEST_F(FaultyWriter, TheFirstEditMustBeASnapshot) {
  WriteRecords({{1, AddTable(2)}});
  EXPECT_THAT(Error(), HasSubstr("first version edit is no snapshot"));
}

TEST_F(FaultyWriter, ALaterEditMayNotChangeTheEpoch) {
  VersionEdit edit;
  edit.epoch = 2;
  WriteRecords({{1, FirstEdit()}, {2, edit}});
  EXPECT_THAT(Error(), HasSubstr("what only the first may"));
}

TEST_F(FaultyWriter, TheEpochMustBeThatOfTheFile) {
  VersionEdit edit = FirstEdit();
  edit.epoch = 2;
  WriteRecords({{1, edit}});
  EXPECT_THAT(Error(), HasSubstr("epoch: observed 2, expected 1"));
}

TEST_F(ManifestFile, AnotherComparatorIsRefusedAndBothAreNamed) {
  Write(2);
  const absl::Status status =
      Read({.order = KeyOrder(manifest_test::ReverseComparator())}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("\"reverse\""));
  EXPECT_THAT(std::string(status.message()), HasSubstr(std::string(BytewiseComparator()->name())));
  EXPECT_EQ(Read({.order = KeyOrder(manifest_test::ReverseComparator()), .salvage = true})
                .status()
                .code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(ManifestFile, AManifestOfAnotherDatabaseIsRefused) {
  Write(2);
  ASSERT_TRUE(WriteCurrent(*fs_, "/", {{1, 1}, {11, 23}}).ok());
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(ManifestFile, AMissingOneIsDataLossUnlessAWriterMayHaveReplacedIt) {
  Write(2);
  ASSERT_TRUE(fs_->DeleteFile(kManifestPath).ok());
  EXPECT_EQ(Read().status().code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Read({.live = true}).status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ManifestFile, AnEditThatNoReaderTakesIsNeverWritten) {
  auto writer = Write(2);
  const std::string bytes = Bytes();
  VersionEdit edit = AddTable(3);
  edit.added[0].level = 7;
  EXPECT_EQ(writer->Append(edit).code(), absl::StatusCode::kInternal);
  edit = AddTable(3);
  edit.epoch = 2;
  EXPECT_EQ(writer->Append(edit).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(Bytes(), bytes);
  EXPECT_TRUE(writer->Append(AddTable(3)).ok()) << "nothing was written, so nothing is poisoned";
}

TEST_F(ManifestFile, AFailedCreationLeavesTheOldManifestInForceUntilCurrentIsReplaced) {
  Write(3);
  for (uint64_t nth = 1;; ++nth) {
    FaultFileSystem faulty(fs_);
    faulty.Inject({.nth = nth, .from_then_on = true});
    VersionEdit snapshot = SnapshotOf(states_.back());
    const FileId id = {1, 100 + nth};
    snapshot.next_file_number = 200;
    const auto writer = ManifestWriter::Create(faulty, "/", id, kDatabase, snapshot);
    if (writer.ok()) break;
    ASSERT_LT(nth, 20u);
    const auto state = Read();
    ASSERT_TRUE(state.ok()) << state.status();
    ASSERT_EQ(*state, states_.back()) << nth;
  }
  const auto state = Read();
  ASSERT_TRUE(state.ok()) << state.status();
  EXPECT_EQ(state->next_file_number, 200u);
}

TEST_F(ManifestFile, AFailedAppendPoisonsTheWriter) {
  auto faulty = std::make_shared<FaultFileSystem>(fs_);
  auto writer = ManifestWriter::Create(*faulty, "/", {1, 1}, kDatabase, FirstEdit());
  ASSERT_TRUE(writer.ok());
  faulty->Inject({.operation = FileOperation::kSyncLog});
  const absl::Status first = (*writer)->Append(AddTable(2));
  EXPECT_FALSE(first.ok());
  faulty->ClearFaults();
  EXPECT_EQ((*writer)->Append(AddTable(3)), first);
}

}  // namespace
}  // namespace siltstone

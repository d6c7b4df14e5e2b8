#include <memory>
#include <string>
#include <vector>

#include "siltstone/file_system.h"

#include "base/coding.h"
#include "engine/manifest/manifest_reader.h"
#include "engine/manifest/manifest_writer.h"
#include "engine/manifest/version_edit.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"

namespace siltstone::fuzz {

namespace {

constexpr FileId kId{1, 5};
constexpr TableId kDatabase{3, 4};
constexpr char kDirectory[] = "/";

std::string ManifestPath() { return kDirectory + ManifestFileName(kId); }

void CheckState(const ManifestState& state, FileSystem& files) {
  // What it folds to is what a new manifest would begin with; that must read back as it was.
  const FileId other{kId.epoch, kId.number + 1};
  const auto writer =
      ManifestWriter::Create(files, kDirectory, other, kDatabase, SnapshotOf(state));
  Expect(writer.ok(), "the state of an accepted manifest can be written");
  const auto again =
      ReadManifest(files, kDirectory, {.manifest = other, .database_id = kDatabase}, {}, nullptr);
  Expect(again.ok(), "what was written can be read");
  Expect(*again == state, "the state is the same read again");
}

void Run(const std::string& input) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  Expect(files->ReplaceFile(ManifestPath(), input).ok(), "a file in memory is written");
  const CurrentFile current{.manifest = kId, .database_id = kDatabase};
  const auto strict = ReadManifest(*files, kDirectory, current, {}, nullptr);
  std::vector<std::string> lost;
  const auto salvaged = ReadManifest(*files, kDirectory, current, {.salvage = true}, &lost);
  if (!strict.ok()) {
    Expect(strict.status().message().find(ManifestFileName(kId)) != std::string::npos,
           "an error names the file");
    Expect(!salvaged.ok() || !lost.empty(), "salvage says what is lost");
    return;
  }
  Expect(salvaged.ok() && lost.empty(), "there is nothing to salvage in a sound manifest");
  Expect(ReadManifest(*files, kDirectory, current, {.live = true}, nullptr).ok(),
         "a sound manifest reads live");
  CheckState(*strict, *files);
}

TableMeta Meta(uint64_t number, std::string_view smallest, std::string_view largest) {
  return {.epoch = 1,
          .number = number,
          .file_size_bytes = 4096,
          .tail_size_bytes = 512,
          .id = {9, number},
          .smallest_sequence = 1,
          .largest_sequence = 90,
          .entries = 20,
          .distinct_keys = 15,
          .tombstones = 2,
          .raw_key_bytes = 400,
          .raw_value_bytes = 900,
          .smallest = MakeInternalKey(smallest, PackTrailer(5, ValueType::kValue)),
          .largest = MakeInternalKey(largest, PackTrailer(6, ValueType::kValue))};
}

VersionEdit FirstEdit() {
  VersionEdit edit;
  edit.comparator_name = std::string(BytewiseComparator()->name());
  edit.table_options = RecordedTableOptions{};
  edit.last_sequence = 100;
  edit.next_file_number = 50;
  edit.epoch = 1;
  return edit;
}

std::string MakeManifest(const std::vector<VersionEdit>& edits) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  const auto writer = ManifestWriter::Create(*files, kDirectory, kId, kDatabase, FirstEdit());
  Expect(writer.ok(), "a manifest in memory is created");
  for (const VersionEdit& edit : edits) Expect((*writer)->Append(edit).ok(), "an edit is written");
  std::string bytes = *files->ReadFile(ManifestPath());
  // As if less had been allocated: 64 KiB of zeroes only take time.
  bytes.resize((*writer)->size_bytes() + 64);
  constexpr size_t kAllocatedBytesAt = 72;
  StoreFixed64(&bytes[kAllocatedBytesAt], bytes.size());
  ResealLog(&bytes);
  return bytes;
}

std::vector<std::string> MakeSeeds() {
  VersionEdit flushed, moved, logs;
  flushed.added = {{0, Meta(10, "a", "m")}, {0, Meta(11, "c", "z")}};
  flushed.last_sequence = 120;
  moved.removed = {{0, 1, 10}, {0, 1, 11}};
  moved.added = {{1, Meta(10, "a", "m")}, {1, Meta(12, "n", "z")}};
  logs.logs_begun = {{1, 20, 4096}};
  return {MakeManifest({}), MakeManifest({flushed}), MakeManifest({logs, flushed, moved})};
}

}  // namespace

const FuzzTarget kManifestTarget = {.name = "manifest",
                                    .run = Run,
                                    .make_seeds = MakeSeeds,
                                    .reseal = ResealLog,
                                    .allocation_factor = 64};

}  // namespace siltstone::fuzz

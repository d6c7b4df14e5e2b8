#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

#include "siltstone/file_system.h"

#include "base/epoch.h"
#include "base/hash.h"
#include "filter/table_filter.h"
#include "sstable/table_reader.h"
#include "sstable/table_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"

namespace siltstone::fuzz {

namespace {

using Entry = std::pair<std::string, std::string>;

constexpr char kPath[] = "/table";
constexpr uint64_t kSeed = 11;
constexpr uint32_t kSecret = 1;

absl::Status Collect(const TableReader& table, bool backward, std::vector<Entry>* entries) {
  const auto it = table.NewIterator(/*fill_cache=*/false, nullptr);
  for (backward ? it->SeekToLast() : it->SeekToFirst(); it->Valid();
       backward ? it->Prev() : it->Next()) {
    entries->emplace_back(it->key(), it->value());
    if (entries->size() > 100'000) break;
  }
  Expect(it->status().ok() || !it->Valid(), "an error ends an iteration");
  return it->status();
}

// Each entry is what a read at its own sequence number finds.
void CheckPointReads(const TableReader& table, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    const EpochGuard guard;
    const std::string_view user_key = ExtractUserKey(entry.first);
    const uint64_t trailer = ExtractTrailer(entry.first);
    const SequenceNumber sequence = TrailerSequence(trailer);
    TableReadContext context;
    PointResult result;
    Expect(table.Get(user_key, sequence, context, &result).ok(), "a verified table is read");
    if (trailer == PackTrailer(sequence, ValueType::kValue)) {
      Expect(result.state == PointResult::State::kFound && result.value == entry.second,
             "a value of a verified table is found");
    } else {
      Expect(result.state == PointResult::State::kDeleted,
             "a tombstone of a verified table is found");
    }
    if (table.has_filter()) {
      Expect(table.MayContain(HashKey(user_key, table.filter_hash_seed())),
             "the filter of a verified table denies no key of it");
    }
  }
}

void Run(const std::string& input) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  Expect(files->ReplaceFile(kPath, input).ok(), "a file in memory is written");
  auto file = files->OpenTable(kPath);
  Expect(file.ok(), "a file in memory opens");
  const auto policy = NewTableFilterPolicy({});
  TableReaderOptions options;
  options.file_name = kPath;
  options.filter_policy = policy.get();
  options.secret_lookup = [](uint32_t id) {
    return id == kSecret ? std::optional<uint64_t>(kSeed) : std::nullopt;
  };
  const auto table = TableReader::Open(std::move(options), *std::move(file));
  if (!table.ok()) {
    return Expect(table.status().message().find(kPath) != std::string::npos,
                  "an error names the file");
  }
  const absl::Status verified = (*table)->VerifyChecksums();
  std::vector<Entry> forward, backward;
  const absl::Status forward_status = Collect(**table, false, &forward);
  const absl::Status backward_status = Collect(**table, true, &backward);
  if (!verified.ok()) {
    return Expect(verified.message().find(kPath) != std::string::npos, "an error names the file");
  }
  Expect(forward_status.ok() && backward_status.ok(), "a verified table is read whole");
  Expect(forward.size() == (*table)->properties().entries, "all entries are read");
  std::reverse(backward.begin(), backward.end());
  Expect(forward == backward, "a table reads the same in both directions");
  CheckPointReads(**table, forward);
}

std::string MakeTable(int entries, Compression compression, FilterKind kind, double chance) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  const auto policy = NewTableFilterPolicy({kind, chance});
  TableWriterOptions options;
  options.block_size_bytes = 256;
  options.restart_interval = 4;
  options.compression = compression;
  options.filter_policy = policy.get();
  options.filter_hash_seed = kSeed;
  options.filter_salt = 7;
  options.secret_id = kSecret;
  options.table_id = {1, 2};
  options.database_id = {3, 4};
  options.epoch = 1;
  options.number = 9;
  options.file_name = kPath;
  auto file = files->CreateTable(kPath);
  TableWriter writer(options, *std::move(file));
  for (int i = 0; i < entries; ++i) {
    const bool deletion = i % 5 == 4;
    const std::string key =
        MakeInternalKey(absl::StrCat("user:", 1000 + i / 2),
                        PackTrailer(static_cast<SequenceNumber>(1000 - i),
                                    deletion ? ValueType::kDeletion : ValueType::kValue));
    Expect(writer.Add(key, deletion ? "" : std::string(static_cast<size_t>(i) * 3 % 90, 'v')).ok(),
           "a table in memory is written");
  }
  Expect(writer.Finish().ok(), "a table in memory is finished");
  return *files->ReadFile(kPath);
}

std::vector<std::string> MakeSeeds() {
  return {MakeTable(1, Compression::kNone, FilterKind::kBloom, 1),
          MakeTable(6, Compression::kNone, FilterKind::kStandardBloom, 0.01),
          MakeTable(40, Compression::kNone, FilterKind::kRibbon, 0.01),
          MakeTable(40, Compression::kLz4, FilterKind::kBloom, 0.1)};
}

}  // namespace

// A block may unpack to 255 times its size.
const FuzzTarget kTableTarget = {.name = "table",
                                 .run = Run,
                                 .make_seeds = MakeSeeds,
                                 .reseal = ResealTable,
                                 .allocation_factor = 256};

}  // namespace siltstone::fuzz

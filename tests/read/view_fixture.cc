#include "tests/read/view_fixture.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include "siltstone/pinned_value.h"

#include "filter/table_filter.h"
#include "sstable/table_reader.h"
#include "sstable/table_writer.h"

namespace siltstone::read_test {
namespace {

constexpr size_t kBigValueBytes = PinnedValue::kCopyBytes + 1000;

// Fails when told to, else reads.
class FaultyFile final : public RandomAccessFile {
 public:
  FaultyFile(std::unique_ptr<RandomAccessFile> file, const ReadFault* fault)
      : file_(std::move(file)), fault_(fault) {}
  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    if (fault_ != nullptr && *fault_) return absl::UnavailableError("planned failure");
    return file_->Read(offset, out);
  }
  uint64_t size_bytes() const override { return file_->size_bytes(); }

 private:
  const std::unique_ptr<RandomAccessFile> file_;
  const ReadFault* const fault_;
};

std::string RandomValue(std::mt19937_64& random, SequenceNumber sequence) {
  std::string value = std::to_string(sequence);
  const uint64_t kind = random() % 20;
  if (kind == 0) return "";
  if (kind == 1) value.resize(kBigValueBytes, 'v');
  if (kind < 8) value.resize(200, 'w');
  return value;
}

}  // namespace

TableMaker::TableMaker(const TableMakerOptions& options)
    : options_(options),
      file_system_(NewMemoryFileSystem()),
      filter_policy_(
          NewTableFilterPolicy({.kind = FilterKind::kBloom, .fp_chance = options.fp_chance})) {}

std::shared_ptr<Table> TableMaker::Make(const Entries& entries, int level, const ReadFault* fault,
                                        uint32_t secret_id) {
  TableMeta meta;
  meta.epoch = 1;
  meta.number = next_number_++;
  meta.id = {0x1234, meta.number};
  const std::string path = absl::StrCat("/", meta.FileName());
  auto file = file_system_->CreateTable(path);
  EXPECT_TRUE(file.ok());
  TableWriter writer({.order = options_.order,
                      .block_size_bytes = options_.block_size_bytes,
                      .compression = Compression::kLz4,
                      .filter_policy = filter_policy_.get(),
                      .filter_hash_seed = secret_id * 1000,
                      .filter_salt = meta.number,
                      .secret_id = secret_id,
                      .table_id = meta.id,
                      .database_id = {0x5678, 1},
                      .epoch = meta.epoch,
                      .number = meta.number,
                      .level = level,
                      .file_name = meta.FileName()},
                     *std::move(file));
  for (const auto& [key, value] : entries) EXPECT_TRUE(writer.Add(key, value).ok());
  auto summary = writer.Finish();
  EXPECT_TRUE(summary.ok());
  meta.file_size_bytes = summary->file_size_bytes;
  meta.tail_size_bytes = summary->tail_size_bytes;
  meta.smallest = summary->smallest;
  meta.largest = summary->largest;
  meta.smallest_sequence = summary->smallest_sequence;
  meta.largest_sequence = summary->largest_sequence;

  auto reader = TableReader::Open(
      {.order = options_.order,
       .file_name = meta.FileName(),
       .file_size_bytes = meta.file_size_bytes,
       .tail_size_bytes = meta.tail_size_bytes,
       .expected_table_id = meta.id,
       .filter_policy = filter_policy_.get(),
       .block_cache = options_.cache,
       .secret_lookup = [](uint32_t id) -> std::optional<uint64_t> { return id * 1000; }},
      std::make_unique<FaultyFile>(*file_system_->OpenTable(path), fault));
  EXPECT_TRUE(reader.ok()) << reader.status();
  return std::make_shared<Table>(std::move(meta), *std::move(reader), level);
}

OwnedView MakeView(KeyOrder order, const std::vector<Entries>& memtables,
                   std::array<Level, kLevelCount> levels) {
  OwnedView view(new ReadView);
  for (const Entries& entries : memtables) {
    auto memtable = std::make_shared<MemTable>(order, 100 - view->immutables.size());
    for (const auto& [key, value] : entries) {
      const uint64_t trailer = ExtractTrailer(key);
      memtable->Add(TrailerSequence(trailer), static_cast<ValueType>(trailer & 0xff),
                    ExtractUserKey(key), value);
    }
    if (view->active == nullptr) {
      view->active = std::move(memtable);
    } else {
      view->immutables.push_back(std::move(memtable));
    }
  }
  auto version = std::make_shared<Version>(order, std::move(levels));
  EXPECT_TRUE(version->CheckInvariants().ok());
  view->version = std::move(version);
  return view;
}

void Model::Add(SequenceNumber sequence, ValueType type, const std::string& key,
                const std::string& value) {
  keys_[key].emplace_back(
      sequence, type == ValueType::kValue ? std::optional<std::string>(value) : std::nullopt);
}

const std::pair<SequenceNumber, std::optional<std::string>>* Model::Newest(
    const std::string& key, SequenceNumber snapshot) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return nullptr;
  const Version* newest = nullptr;
  for (const Version& version : found->second) {
    if (version.first <= snapshot) newest = &version;
  }
  return newest;
}

std::optional<std::string> Model::Get(const std::string& key, SequenceNumber snapshot) const {
  const Version* const newest = Newest(key, snapshot);
  return newest == nullptr ? std::nullopt : newest->second;
}

std::vector<std::pair<std::string, std::string>> Model::Visible(SequenceNumber snapshot) const {
  std::vector<std::pair<std::string, std::string>> visible;
  for (const auto& [key, versions] : keys_) {
    if (const auto value = Get(key, snapshot)) visible.emplace_back(key, *value);
  }
  std::sort(visible.begin(), visible.end(), [this](const auto& a, const auto& b) {
    return order_.CompareUserKeys(a.first, b.first) < 0;
  });
  return visible;
}

std::string RandomKey(std::mt19937_64& random) {
  const uint64_t n = random() % 300;
  if (n == 0) return "";
  if (n < 100) return absl::StrCat("a long common prefix/", n);
  return absl::StrCat(n);
}

namespace {

// The oldest entries of `history`, `count` of them, sorted; they are taken off it.
Entries TakeOldest(KeyOrder order, Entries* history, size_t count) {
  const auto end = history->begin() + static_cast<std::ptrdiff_t>(std::min(count, history->size()));
  Entries taken(history->begin(), end);
  history->erase(history->begin(), end);
  SortEntries(order, &taken);
  return taken;
}

// Cuts sorted entries between user keys into parts of about `part_size`.
std::vector<Entries> Cut(const Entries& entries, size_t part_size) {
  std::vector<Entries> parts;
  for (const auto& entry : entries) {
    const bool same_key =
        !parts.empty() && ExtractUserKey(parts.back().back().first) == ExtractUserKey(entry.first);
    if (parts.empty() || (parts.back().size() >= part_size && !same_key)) parts.emplace_back();
    parts.back().push_back(entry);
  }
  return parts;
}

}  // namespace

RandomHistory::RandomHistory(std::mt19937_64& random, TableMaker& maker, const ReadFault* fault)
    : model(maker.order()) {
  const KeyOrder order = maker.order();
  Entries history;
  const size_t count = 200 + random() % 200;
  for (size_t i = 0; i < count; ++i) {
    const SequenceNumber sequence = ++last_sequence;
    const ValueType type = random() % 4 == 0 ? ValueType::kDeletion : ValueType::kValue;
    const std::string key = RandomKey(random);
    const std::string value = type == ValueType::kValue ? RandomValue(random, sequence) : "";
    model.Add(sequence, type, key, value);
    history.emplace_back(MakeInternalKey(key, PackTrailer(sequence, type)), value);
  }
  std::array<Level, kLevelCount> levels;
  for (const int level : {3, 1}) {
    std::vector<std::shared_ptr<Table>> run;
    for (const Entries& part : Cut(TakeOldest(order, &history, 60 + random() % 40), 20)) {
      run.push_back(maker.Make(part, level, fault, 1 + random() % 2));
      tables.push_back(run.back());
    }
    levels[static_cast<size_t>(level)].runs.emplace_back(order, std::move(run));
  }
  // Newest run first. Sometimes more than are probed in one go.
  for (size_t runs = random() % 24; runs > 0 && history.size() > 30; --runs) {
    tables.push_back(maker.Make(TakeOldest(order, &history, 1 + random() % 6), 0, fault));
    std::vector<Run>& level0 = levels[0].runs;
    level0.insert(level0.begin(), Run(order, {tables.back()}));
  }
  std::vector<Entries> memtables(1);
  while (!history.empty()) {
    memtables.insert(memtables.begin(), TakeOldest(order, &history, 1 + random() % 20));
  }
  view = MakeView(order, memtables, std::move(levels));
}

}  // namespace siltstone::read_test

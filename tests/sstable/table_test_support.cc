#include "tests/sstable/table_test_support.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "absl/strings/str_cat.h"

#include "base/coding.h"
#include "base/to_absl.h"

namespace siltstone {

namespace {

class ListFilterBuilder : public FilterBuilder {
 public:
  void Add(uint64_t hash) override {
    EXPECT_TRUE(hashes_.insert(hash).second) << "a key was added twice";
  }
  std::string Finish() override {
    std::string out = "LIST";
    for (const uint64_t hash : hashes_) AppendFixed64(&out, hash);
    return out;
  }

 private:
  std::set<uint64_t> hashes_;
};

class ListFilterReader : public FilterReader {
 public:
  explicit ListFilterReader(std::set<uint64_t> hashes) : hashes_(std::move(hashes)) {}
  bool MayContain(uint64_t hash) const override { return hashes_.contains(hash); }
  void MayContain(std::span<const uint64_t> hashes, std::span<bool> answers) const override {
    for (size_t i = 0; i < hashes.size(); ++i) answers[i] = MayContain(hashes[i]);
  }
  void Prefetch(uint64_t) const override {}
  std::string_view kind_name() const override { return "list"; }
  uint64_t key_count() const override { return hashes_.size(); }
  double configured_fp_chance() const override { return 0.25; }
  double predicted_fp_rate() const override { return 0; }
  size_t memory_bytes() const override { return hashes_.size() * 8; }

 private:
  const std::set<uint64_t> hashes_;
};

}  // namespace

absl::Status StringTableFile::Append(std::string_view bytes) {
  EXPECT_FALSE(finished_);
  bytes_->append(bytes);
  return absl::OkStatus();
}

absl::Status StringTableFile::Finish() {
  finished_ = true;
  return absl::OkStatus();
}

absl::Status StringFile::Read(uint64_t offset, std::span<char> out) const {
  if (reads_ != nullptr) ++*reads_;
  if (offset > bytes_->size() || out.size() > bytes_->size() - offset) {
    return absl::OutOfRangeError("read past the end");
  }
  if (!out.empty()) std::memcpy(out.data(), bytes_->data() + offset, out.size());
  return absl::OkStatus();
}

std::unique_ptr<FilterBuilder> ListFilterPolicy::NewBuilder(uint64_t) const {
  return std::make_unique<ListFilterBuilder>();
}

absl::StatusOr<std::unique_ptr<FilterReader>> ListFilterPolicy::OpenReader(
    std::string bytes) const {
  if (bytes.size() % 8 != 4) return absl::DataLossError("list filter: odd size");
  if (bytes.substr(0, 4) != "LIST") return absl::UnimplementedError("list filter: unknown kind");
  std::set<uint64_t> hashes;
  for (size_t i = 4; i < bytes.size(); i += 8) hashes.insert(LoadFixed64(bytes.data() + i));
  return std::unique_ptr<FilterReader>(std::make_unique<ListFilterReader>(std::move(hashes)));
}

int BackwardComparator::Compare(std::string_view a, std::string_view b) const {
  return std::string_view(b).compare(a);
}

TableWriterOptions WriterOptionsForTest(const KeyOrder& order) {
  static const ListFilterPolicy policy;
  TableWriterOptions options;
  options.order = order;
  options.block_size_bytes = 256;
  options.filter_policy = &policy;
  options.filter_hash_seed = kTestSeed;
  options.secret_id = kTestSecretId;
  options.table_id = {0x1122, 0x3344};
  options.database_id = {5, 6};
  options.epoch = 3;
  options.number = 9;
  options.level = 1;
  options.file_name = "000003-000000000009.sst";
  return options;
}

BuiltTable BuildTable(const Entries& entries, TableWriterOptions options) {
  BuiltTable table;
  TableWriter writer(std::move(options), std::make_unique<StringTableFile>(&table.bytes));
  for (const auto& [key, value] : entries) {
    const absl::Status status = writer.Add(key, value);
    EXPECT_TRUE(status.ok()) << status;
  }
  absl::StatusOr<TableSummary> summary = writer.Finish();
  EXPECT_TRUE(summary.ok()) << summary.status();
  if (summary.ok()) table.summary = *summary;
  return table;
}

TableReaderOptions ReaderOptionsForTest(const KeyOrder& order) {
  static const ListFilterPolicy policy;
  TableReaderOptions options;
  options.order = order;
  options.file_name = "000003-000000000009.sst";
  options.filter_policy = &policy;
  options.secret_lookup = [](uint32_t id) -> std::optional<uint64_t> {
    if (id != kTestSecretId) return std::nullopt;
    return kTestSeed;
  };
  return options;
}

OpenedTable OpenTable(std::string bytes, TableReaderOptions options) {
  OpenedTable table;
  table.bytes = std::make_shared<std::string>(std::move(bytes));
  table.reader = TableReader::Open(
      std::move(options), std::make_unique<StringFile>(table.bytes.get(), table.reads.get()));
  return table;
}

std::string GetText(const TableReader& table, std::string_view user_key, SequenceNumber snapshot,
                    TableReadContext* context) {
  EpochGuard guard;
  TableReadContext own_context;
  PointResult result;
  const absl::Status status =
      table.Get(user_key, snapshot, context == nullptr ? own_context : *context, &result);
  if (!status.ok()) return status.ToString();
  switch (result.state) {
    case PointResult::State::kAbsent:
      return "absent";
    case PointResult::State::kDeleted:
      return absl::StrCat("deleted@", result.sequence);
    case PointResult::State::kFound:
      break;
  }
  return absl::StrCat(ToAbsl(result.value), "@", result.sequence);
}

std::string ModelText(const Entries& entries, std::string_view user_key, SequenceNumber snapshot) {
  const auto it = entries.lower_bound(MakeInternalKey(user_key, SeekTrailer(snapshot)));
  if (it == entries.end() || ExtractUserKey(it->first) != user_key) return "absent";
  const uint64_t trailer = ExtractTrailer(it->first);
  if ((trailer & 0xff) == 0) return absl::StrCat("deleted@", TrailerSequence(trailer));
  return absl::StrCat(it->second, "@", TrailerSequence(trailer));
}

std::vector<std::pair<std::string, std::string>> ScanAll(const TableReader& table,
                                                         absl::Status* status) {
  std::vector<std::pair<std::string, std::string>> found;
  const auto it = table.NewIterator(true, nullptr);
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    found.emplace_back(std::string(it->key()), std::string(it->value()));
  }
  *status = it->status();
  return found;
}

Entries RandomEntries(uint64_t seed, size_t count, const KeyOrder& order) {
  std::mt19937_64 random(seed);
  const auto below = [&random](uint64_t n) { return random() % n; };
  static const char* const kBeginnings[] = {"",
                                            "a",
                                            "user:",
                                            "user:0000",
                                            "user:00001",
                                            "\xff\xff",
                                            "user:00001/a/very/long/common/beginning/"};
  Entries entries(InternalKeyLess{order});
  SequenceNumber sequence = 1;
  while (entries.size() < count) {
    std::string user_key = kBeginnings[below(7)];
    for (uint64_t i = below(12); i > 0; --i) {
      user_key.push_back(below(4) == 0 ? static_cast<char>(random()) : "01ab\x00\xff"[below(6)]);
    }
    const uint64_t versions = below(5) == 0 ? 1 + below(30) : 1;
    for (uint64_t v = 0; v < versions; ++v) {
      sequence += 1 + below(3);
      const bool deletion = below(5) == 0;
      std::string value =
          deletion ? "" : std::string(below(40), static_cast<char>('a' + below(26)));
      entries[MakeInternalKey(
          user_key, PackTrailer(sequence, deletion ? ValueType::kDeletion : ValueType::kValue))] =
          value;
    }
  }
  return entries;
}

}  // namespace siltstone

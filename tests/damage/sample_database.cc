#include "tests/damage/sample_database.h"

#include <atomic>
#include <future>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include "siltstone/db.h"

#include "engine/manifest/file_names.h"
#include "engine/wal/log_reader.h"
#include "tests/engine/test_database.h"
#include "tests/support/fault_file_system.h"

namespace siltstone {
namespace {

std::vector<uint64_t> RecordBorders(const std::string& name, const std::string& bytes) {
  const Options options = OptionsOver({{name, bytes}});
  auto file = options.file_system->OpenLog("/db/" + name);
  EXPECT_TRUE(file.ok()) << file.status();
  const auto header = DecodeLogHeader(std::string_view(bytes).substr(0, kLogHeaderBytes), name);
  EXPECT_TRUE(header.ok()) << header.status();
  LogExpectation expectation;
  expectation.epoch = header->epoch;
  expectation.number = header->number;
  auto reader = LogReader::Open(*std::move(file), name, expectation);
  EXPECT_TRUE(reader.ok()) << reader.status();
  std::vector<uint64_t> borders;
  LogRecord record;
  while ((*reader)->Next(&record).value_or(false)) borders.push_back(record.offset);
  borders.push_back(bytes.find_last_not_of('\0') + 1);
  return borders;
}

// Makes the sample. Single-threaded, but for one flush.
class SampleMaker {
 public:
  explicit SampleMaker(uint64_t seed) : seed_(seed) {
    Options options;
    options.create_if_missing = true;
    options.write_buffer_size_bytes = size_t{4} << 10;
    options.memory_budget_bytes = size_t{1} << 20;
    options.block_size_bytes = 512;
    options.compression = Compression::kLz4;
    options.file_system = faults_;
    auto db = DB::Open(options, "/db");
    EXPECT_TRUE(db.ok()) << db.status();
    db_ = *std::move(db);
  }

  SampleDatabase Make() {
    Put(0, 120);
    Compact();
    // Newer than what lies below: overwritten, deleted, and new.
    Put(90, 160);
    for (uint64_t number = 0; number < 90; number += 9) Delete(number);
    EXPECT_EQ(db_->Flush(), absl::OkStatus());
    Put(160, 200);
    EXPECT_EQ(db_->Flush(), absl::OkStatus());
    LeaveInTwoLogs();
    sample_.absent_keys.insert(sample_.absent_keys.end(), {"", "key", "zzz", NumberKey(9999)});
    return std::move(sample_);
  }

 private:
  void Put(uint64_t first, uint64_t end) {
    for (uint64_t number = first; number < end; ++number) {
      const std::string key = NumberKey(number);
      ++writes_;
      const std::string value =
          std::to_string(writes_) + ":" + NoiseBytes(seed_ * 1000 + writes_, number % 24);
      EXPECT_EQ(db_->Put(key, value), absl::OkStatus());
      sample_.entries[key] = value;
      sample_.log_states.push_back(sample_.entries);
    }
  }
  void Delete(uint64_t number) {
    EXPECT_EQ(db_->Delete(NumberKey(number)), absl::OkStatus());
    sample_.entries.erase(NumberKey(number));
    sample_.absent_keys.push_back(NumberKey(number));
    sample_.log_states.push_back(sample_.entries);
  }
  void Compact() { EXPECT_EQ(db_->CompactRange(), absl::OkStatus()); }

  // Twenty writes in a log whose flush is held, twenty in the next one; the image is taken then.
  void LeaveInTwoLogs() {
    Put(200, 218);
    Delete(150);
    Delete(9);
    std::promise<void> flush_begun;
    std::promise<void> image_taken;
    std::shared_future<void> may_go_on = image_taken.get_future().share();
    std::atomic<bool> first{true};
    faults_->SetHook([&](FileOperation operation, std::string_view) {
      if (operation != FileOperation::kCreateTable) return;
      if (first.exchange(false)) flush_begun.set_value();
      may_go_on.wait();
    });
    auto flush = std::async(std::launch::async, [this] { return db_->Flush(); });
    flush_begun.get_future().wait();
    sample_.log_states = {sample_.entries};
    Put(215, 234);
    Delete(200);
    sample_.files = ReadImage(*memory_, "/db");
    sample_.last_log = NamesEndingWith(sample_.files, ".log").back();
    sample_.record_borders = RecordBorders(sample_.last_log, sample_.files.at(sample_.last_log));
    EXPECT_EQ(sample_.record_borders.size(), sample_.log_states.size());
    image_taken.set_value();
    EXPECT_EQ(flush.get(), absl::OkStatus());
    faults_->SetHook(nullptr);
    EXPECT_EQ(db_->Close(), absl::OkStatus());
  }

  const uint64_t seed_;
  const std::shared_ptr<FileSystem> memory_ = NewMemoryFileSystem();
  const std::shared_ptr<FaultFileSystem> faults_ = std::make_shared<FaultFileSystem>(memory_);
  std::unique_ptr<DB> db_;
  SampleDatabase sample_;
  uint64_t writes_ = 0;
};

}  // namespace

SampleDatabase MakeSampleDatabase(uint64_t seed) { return SampleMaker(seed).Make(); }

Options OptionsOver(const FolderImage& image) {
  Options options;
  options.write_buffer_size_bytes = size_t{64} << 10;
  options.file_system = NewMemoryFileSystem();
  EXPECT_EQ(options.file_system->CreateDirectory("/db"), absl::OkStatus());
  for (const auto& [name, bytes] : image) {
    auto file = options.file_system->CreateLog("/db/" + name, 0);
    EXPECT_TRUE(file.ok()) << file.status();
    EXPECT_EQ((*file)->Append(bytes), absl::OkStatus());
    EXPECT_EQ((*file)->Close(), absl::OkStatus());
  }
  return options;
}

FolderImage ReadImage(FileSystem& file_system, const std::string& folder) {
  FolderImage image = AllFiles(file_system, folder);
  std::erase_if(image, [](const auto& file) {
    const auto name = ParseFileName(file.first);
    return name.has_value() && (name->kind == FileKind::kInfoLog || name->kind == FileKind::kLock);
  });
  return image;
}

std::vector<std::string> NamesEndingWith(const FolderImage& image, const std::string& ending) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : image) {
    if (name.ends_with(ending)) names.push_back(name);
  }
  return names;
}

std::vector<std::string> NamesBeginningWith(const FolderImage& image, const std::string& start) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : image) {
    if (name.starts_with(start)) names.push_back(name);
  }
  return names;
}

}  // namespace siltstone

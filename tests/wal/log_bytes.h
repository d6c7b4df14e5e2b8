#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "siltstone/file_system.h"

#include "base/check.h"
#include "base/random.h"
#include "engine/wal/log_reader.h"
#include "engine/wal/log_writer.h"

// Logs as strings, for tests that damage them.

namespace siltstone {

// From SILTSTONE_TEST_SEED, or drawn; printed.
inline uint64_t TestSeed() {
  const char* const given = std::getenv("SILTSTONE_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : RandomSeed();
  std::cout << "SILTSTONE_TEST_SEED=" << seed << std::endl;
  return seed;
}

inline constexpr TableId kTestDatabase{0x0011223344556677, 0x8899aabbccddeeff};

// The file of a log under test, with every state it went through.
class RecordingLogFile final : public LogFile {
 public:
  struct Step {
    enum class Kind { kAppend, kSync, kAllocate } kind;
    uint64_t offset = 0;  // kAppend
    std::string bytes;    // kAppend
    uint64_t size = 0;    // kAllocate
  };
  struct State {
    std::string bytes;  // as far as allocated
    uint64_t end = 0;   // of what was appended
    std::vector<Step> steps;
    int fail_in = -1;  // calls until one fails; below 0: none
    bool closed = false;
  };

  RecordingLogFile(std::shared_ptr<State> state, uint64_t allocated) : state_(std::move(state)) {
    state_->bytes.assign(allocated, '\0');
  }

  absl::Status Append(std::string_view bytes) override {
    if (Fails()) return absl::UnavailableError("append");
    if (state_->end + bytes.size() > state_->bytes.size()) {
      state_->bytes.resize(state_->end + bytes.size());
    }
    state_->bytes.replace(state_->end, bytes.size(), bytes);
    state_->steps.push_back({Step::Kind::kAppend, state_->end, std::string(bytes), 0});
    state_->end += bytes.size();
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    if (Fails()) return absl::UnavailableError("sync");
    state_->steps.push_back({Step::Kind::kSync, 0, "", 0});
    return absl::OkStatus();
  }
  absl::Status Allocate(uint64_t size) override {
    if (Fails()) return absl::ResourceExhaustedError("allocate");
    if (size > state_->bytes.size()) state_->bytes.resize(size);
    state_->steps.push_back({Step::Kind::kAllocate, 0, "", size});
    return absl::OkStatus();
  }
  absl::Status Close() override {
    state_->closed = true;
    return absl::OkStatus();
  }

 private:
  bool Fails() { return state_->fail_in >= 0 && state_->fail_in-- == 0; }

  std::shared_ptr<State> state_;
};

// Creates logs that record; nothing else is asked of it.
class RecordingFileSystem final : public FileSystem {
 public:
  std::shared_ptr<RecordingLogFile::State> state = std::make_shared<RecordingLogFile::State>();

  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view, uint64_t size) override {
    return std::unique_ptr<LogFile>(std::make_unique<RecordingLogFile>(state, size));
  }
  absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view) override { return No(); }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view) override {
    return No();
  }
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view) override {
    return No();
  }
  absl::Status ReplaceFile(std::string_view, std::string_view, bool) override { return No(); }
  absl::StatusOr<std::string> ReadFile(std::string_view) override { return No(); }
  absl::Status DeleteFile(std::string_view) override { return No(); }
  absl::Status CreateDirectory(std::string_view) override { return No(); }
  absl::Status SyncDirectory(std::string_view) override { return No(); }
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view) override {
    return No();
  }
  absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view) override { return No(); }

 private:
  static absl::Status No() { return absl::UnimplementedError("logs only"); }
};

// Reads a string as a file; `bytes` may go on changing (its size at the start is the file's).
class StringFile final : public RandomAccessFile {
 public:
  explicit StringFile(const std::string* bytes) : bytes_(bytes), size_(bytes->size()) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    if (offset > size_ || out.size() > size_ - offset) return absl::OutOfRangeError("end of file");
    bytes_->copy(out.data(), out.size(), offset);
    ++reads;
    bytes_read += out.size();
    return absl::OkStatus();
  }
  uint64_t size_bytes() const override { return size_; }

  mutable uint64_t reads = 0;
  mutable uint64_t bytes_read = 0;

 private:
  const std::string* bytes_;
  uint64_t size_;
};

inline LogHeader TestLogHeader(uint64_t number = 7) {
  LogHeader header;
  header.kind = LogKind::kWal;
  header.database_id = kTestDatabase;
  header.epoch = 1;
  header.number = number;
  header.mask = 0x0123456789abcdef;
  return header;
}

inline LogExpectation TestExpectation(uint64_t number = 7) {
  LogExpectation expectation;
  expectation.database_id = kTestDatabase;
  expectation.epoch = 1;
  expectation.number = number;
  return expectation;
}

// A log being written into a string.
struct LogUnderTest {
  explicit LogUnderTest(uint64_t allocated, const LogHeader& header = TestLogHeader()) {
    auto created = LogWriter::Create(file_system, header, "/test.log", allocated);
    SILTSTONE_CHECK(created.ok());
    writer = *std::move(created);
  }
  void Append(std::string_view payload, SequenceNumber sequence = 1) {
    SILTSTONE_CHECK(writer->Append(payload, sequence).ok());
    payloads.emplace_back(payload);
    offsets.push_back(writer->size_bytes() - RecordBytes(payload.size()));
  }
  void Sync() { SILTSTONE_CHECK(writer->Sync().ok()); }
  const std::string& bytes() const { return file_system.state->bytes; }

  RecordingFileSystem file_system;
  std::unique_ptr<LogWriter> writer;
  std::vector<std::string> payloads;
  std::vector<uint64_t> offsets;
};

// Everything a reader says of some bytes.
struct ReadLog {
  absl::Status status;  // of Open, or of Next at the end
  std::vector<std::string> payloads;
  std::vector<uint64_t> offsets;
  uint64_t torn_bytes = 0;
  uint64_t valid_size = 0;
  absl::Status damage;
  uint64_t skipped_bytes = 0;
};

inline ReadLog ReadAll(const std::string& bytes,
                       const LogExpectation& expectation = TestExpectation(),
                       const LogReadOptions& options = {}) {
  ReadLog result;
  auto reader =
      LogReader::Open(std::make_unique<StringFile>(&bytes), "test.log", expectation, options);
  if (!reader.ok()) {
    result.status = reader.status();
    return result;
  }
  LogRecord record;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(&record);
    if (!more.ok()) result.status = more.status();
    if (!more.ok() || !*more) break;
    result.payloads.emplace_back(record.payload);
    result.offsets.push_back(record.offset);
  }
  result.torn_bytes = (*reader)->torn_bytes();
  result.valid_size = (*reader)->valid_size_bytes();
  result.damage = (*reader)->damage();
  result.skipped_bytes = (*reader)->skipped_bytes();
  return result;
}

}  // namespace siltstone

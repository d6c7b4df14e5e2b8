#include "base/memory_files.h"

#include <utility>

#include "absl/strings/str_cat.h"

#include "base/memory_path.h"

namespace siltstone {
namespace {

absl::Status ClosedStatus(std::string_view operation, const std::string& path) {
  return MemoryPathError(absl::StatusCode::kFailedPrecondition, operation, path,
                         "the file is closed");
}

class MemoryRandomAccessFile final : public RandomAccessFile {
 public:
  MemoryRandomAccessFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)),
        file_(std::move(file)),
        finished_(file_->finished()),
        size_bytes_(file_->size_bytes()) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    if (finished_ ? file_->ReadFinished(offset, out) : file_->Read(offset, out)) {
      return absl::OkStatus();
    }
    return absl::OutOfRangeError(absl::StrCat("cannot read ", path_, " at offset ", offset,
                                              " size ", out.size(), ": the file ends at ",
                                              file_->size_bytes()));
  }
  uint64_t size_bytes() const override { return size_bytes_; }

 private:
  const std::string path_;
  const std::shared_ptr<MemoryFile> file_;
  const bool finished_;
  const uint64_t size_bytes_;
};

class MemoryTableFile final : public TableFile {
 public:
  MemoryTableFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status Append(std::string_view bytes) override {
    if (file_ == nullptr) return ClosedStatus("append to", path_);
    file_->WriteAt(position_, bytes);
    position_ += bytes.size();
    return absl::OkStatus();
  }
  absl::Status Finish() override {
    if (file_ == nullptr) return ClosedStatus("finish", path_);
    file_->Finish();
    file_ = nullptr;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  std::shared_ptr<MemoryFile> file_;  // null: finished
  uint64_t position_ = 0;
};

class MemoryLogFile final : public LogFile {
 public:
  MemoryLogFile(std::string path, std::shared_ptr<MemoryFile> file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status Append(std::string_view bytes) override {
    if (file_ == nullptr) return ClosedStatus("append to", path_);
    file_->WriteAt(position_, bytes);
    position_ += bytes.size();
    return absl::OkStatus();
  }
  absl::Status Sync() override {
    return file_ == nullptr ? ClosedStatus("sync", path_) : absl::OkStatus();
  }
  absl::Status Allocate(uint64_t size_bytes) override {
    if (file_ == nullptr) return ClosedStatus("allocate space for", path_);
    file_->ExtendTo(size_bytes);
    return absl::OkStatus();
  }
  absl::Status Close() override {
    if (file_ == nullptr) return ClosedStatus("close", path_);
    file_ = nullptr;
    return absl::OkStatus();
  }

 private:
  const std::string path_;
  std::shared_ptr<MemoryFile> file_;  // null: closed
  uint64_t position_ = 0;
};

}  // namespace

std::unique_ptr<RandomAccessFile> OpenMemoryFile(std::string path,
                                                 std::shared_ptr<MemoryFile> file) {
  return std::make_unique<MemoryRandomAccessFile>(std::move(path), std::move(file));
}

std::unique_ptr<TableFile> WriteMemoryTable(std::string path, std::shared_ptr<MemoryFile> file) {
  return std::make_unique<MemoryTableFile>(std::move(path), std::move(file));
}

std::unique_ptr<LogFile> WriteMemoryLog(std::string path, std::shared_ptr<MemoryFile> file) {
  return std::make_unique<MemoryLogFile>(std::move(path), std::move(file));
}

}  // namespace siltstone

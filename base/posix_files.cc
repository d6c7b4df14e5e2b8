#include "base/posix_files.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

#include "base/errno_status.h"
#include "base/file_poison.h"
#include "base/posix_io.h"
#include "base/status_macros.h"
#include "base/to_absl.h"

namespace siltstone {
namespace {

absl::Status ClosedStatus(std::string_view operation, const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot ", ToAbsl(operation), " ", path, ": the file is closed"));
}

// Thread-safe: pread keeps no position.
class PosixRandomAccessFile final : public RandomAccessFile {
 public:
  PosixRandomAccessFile(std::string path, FileDescriptor file, uint64_t size_bytes)
      : path_(std::move(path)), file_(std::move(file)), size_bytes_(size_bytes) {}

  absl::Status Read(uint64_t offset, std::span<char> out) const override {
    size_t read_bytes;
    const int error = ReadFully(file_.number(), out, offset, &read_bytes);
    if (error != 0) return ErrnoStatus("read", path_, error);
    if (read_bytes == out.size()) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat("cannot read ", path_, " at offset ", offset,
                                              " size ", out.size(), ": the file ends after ",
                                              read_bytes, " of these bytes"));
  }

  uint64_t size_bytes() const override { return size_bytes_; }

 private:
  const std::string path_;
  const FileDescriptor file_;
  const uint64_t size_bytes_;
};

// Collects appends in a buffer; a large one goes to the file from where it lies.
class PosixTableFile final : public TableFile {
 public:
  PosixTableFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {
    buffer_.reserve(kBufferBytes);
  }

  absl::Status Append(std::string_view bytes) override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    if (!file_.is_open()) return ClosedStatus("append to", path_);
    if (buffer_.size() + bytes.size() > kBufferBytes) {
      SILTSTONE_RETURN_IF_ERROR(WriteOut(buffer_));
      buffer_.clear();
      if (bytes.size() >= kBufferBytes) return WriteOut(bytes);
    }
    buffer_.append(bytes);
    return absl::OkStatus();
  }

  absl::Status Finish() override {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    if (!file_.is_open()) return ClosedStatus("finish", path_);
    SILTSTONE_RETURN_IF_ERROR(WriteOut(buffer_));
    std::string().swap(buffer_);
    if (const int error = SyncDescriptor(file_.number()); error != 0) {
      return poison_.Record(ErrnoStatus("sync", path_, error));
    }
    if (const int error = file_.Close(); error != 0) {
      return poison_.Record(ErrnoStatus("close", path_, error));
    }
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kBufferBytes = size_t{128} << 10;

  absl::Status WriteOut(std::string_view bytes) {
    if (const int error = WriteFully(file_.number(), bytes, size_bytes_); error != 0) {
      return poison_.Record(ErrnoStatus("append to", path_, error));
    }
    size_bytes_ += bytes.size();
    return absl::OkStatus();
  }

  const std::string path_;
  FileDescriptor file_;
  uint64_t size_bytes_ = 0;  // in the file, without the buffer
  std::string buffer_;
  FilePoison poison_;
};

// Unbuffered: what Append took survives the process.
class PosixLogFile final : public LogFile {
 public:
  PosixLogFile(std::string path, FileDescriptor file)
      : path_(std::move(path)), file_(std::move(file)) {}

  absl::Status Append(std::string_view bytes) override {
    SILTSTONE_RETURN_IF_ERROR(CheckUsable("append to"));
    if (const int error = WriteFully(file_.number(), bytes, position_); error != 0) {
      return poison_.Record(ErrnoStatus("append to", path_, error));
    }
    position_ += bytes.size();
    file_size_bytes_ = std::max(file_size_bytes_, position_);
    return absl::OkStatus();
  }

  absl::Status Sync() override {
    SILTSTONE_RETURN_IF_ERROR(CheckUsable("sync"));
    // fdatasync makes a changed size durable too: without it the bytes could not be read back.
    if (const int error = SyncDescriptorData(file_.number()); error != 0) {
      return poison_.Record(ErrnoStatus("sync", path_, error));
    }
    return absl::OkStatus();
  }

  absl::Status Allocate(uint64_t size_bytes) override {
    SILTSTONE_RETURN_IF_ERROR(CheckUsable("allocate space for"));
    if (size_bytes <= file_size_bytes_) return absl::OkStatus();
    if (const int error = ExtendTo(size_bytes); error != 0) {
      return poison_.Record(ErrnoStatus("allocate space for", path_, error));
    }
    file_size_bytes_ = size_bytes;
    return absl::OkStatus();
  }

  absl::Status Close() override {
    const bool was_open = file_.is_open();
    const int error = file_.Close();
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    if (!was_open) return ClosedStatus("close", path_);
    return error == 0 ? absl::OkStatus() : poison_.Record(ErrnoStatus("close", path_, error));
  }

 private:
  absl::Status CheckUsable(std::string_view operation) const {
    SILTSTONE_RETURN_IF_ERROR(poison_.status());
    return file_.is_open() ? absl::OkStatus() : ClosedStatus(operation, path_);
  }

  int ExtendTo(uint64_t size_bytes) {
    if (size_bytes > static_cast<uint64_t>(std::numeric_limits<off_t>::max())) return EFBIG;
    // Not posix_fallocate: where the file system cannot reserve space, that writes a byte a block by itself,
    // and we would not know.
    int result;
    do {
      result = fallocate(file_.number(), 0, 0, static_cast<off_t>(size_bytes));
    } while (result != 0 && errno == EINTR);
    if (result == 0) return 0;
    return errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL ? WriteZeroesTo(size_bytes)
                                                                     : errno;
  }

  int WriteZeroesTo(uint64_t size_bytes) {
    const std::string zeroes(std::min<uint64_t>(size_bytes - file_size_bytes_, kZeroBytes), '\0');
    for (uint64_t end = file_size_bytes_; end < size_bytes;) {
      const uint64_t count = std::min<uint64_t>(size_bytes - end, zeroes.size());
      const std::string_view part(zeroes.data(), static_cast<size_t>(count));
      if (const int error = WriteFully(file_.number(), part, end); error != 0) return error;
      end += count;
    }
    return 0;
  }

  static constexpr uint64_t kZeroBytes = uint64_t{256} << 10;

  const std::string path_;
  FileDescriptor file_;
  uint64_t position_ = 0;         // end of what was appended
  uint64_t file_size_bytes_ = 0;  // at least position_
  FilePoison poison_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenPosixFile(const std::string& path) {
  FileDescriptor file = OpenDescriptor(path, O_RDONLY);
  if (!file.is_open()) return ErrnoStatus("open", path, errno);
  struct stat about;
  if (fstat(file.number(), &about) != 0) return ErrnoStatus("open", path, errno);
  if (S_ISDIR(about.st_mode)) return ErrnoStatus("open", path, EISDIR);
  return std::make_unique<PosixRandomAccessFile>(path, std::move(file),
                                                 static_cast<uint64_t>(about.st_size));
}

absl::StatusOr<std::unique_ptr<TableFile>> CreatePosixTable(const std::string& path) {
  FileDescriptor file = OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return ErrnoStatus("create", path, errno);
  return std::make_unique<PosixTableFile>(path, std::move(file));
}

absl::StatusOr<std::unique_ptr<LogFile>> CreatePosixLog(const std::string& path,
                                                        uint64_t allocated_bytes) {
  FileDescriptor file = OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL);
  if (!file.is_open()) return ErrnoStatus("create", path, errno);
  auto log = std::make_unique<PosixLogFile>(path, std::move(file));
  if (absl::Status status = log->Allocate(allocated_bytes); !status.ok()) {
    unlink(path.c_str());  // ours: it was created just now
    return status;
  }
  return log;
}

}  // namespace siltstone

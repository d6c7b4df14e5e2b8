#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "siltstone/file_system.h"

namespace siltstone {

// What a power cut leaves of that which was not synced.
enum class PowerCutMode {
  kDropUnsynced,  // nothing: neither bytes nor names
  kKeepUnsynced,  // everything
  kTear,          // of each file a random prefix of the unsynced bytes; names at random
  kZeroSectors,  // random 512-byte sectors, and zeroes (or what was there) in the others; names at random
};
inline constexpr PowerCutMode kAllPowerCutModes[] = {
    PowerCutMode::kDropUnsynced, PowerCutMode::kKeepUnsynced, PowerCutMode::kTear,
    PowerCutMode::kZeroSectors};

// A file system in memory that knows what is durable, and can lose the rest. It is as strict as the contract
// allows: syncing a file does not keep its name, replacing a file keeps no name but its own, and
// creations and deletions of names are lost or kept one by one.
//
// To fail calls as well, put a FaultFileSystem over it.
//
// Thread safety: thread-safe.
class CrashFileSystem : public FileSystem {
 public:
  CrashFileSystem();
  ~CrashFileSystem() override;

  // Becomes what a machine would find after a power cut at this moment. Every file that is open fails from
  // then on (Unavailable), locks are free, and all that is there is durable. The same seed makes the same
  // choices.
  void PowerCut(PowerCutMode mode, uint64_t seed);

  // That file system as a new one; this one goes on.
  std::shared_ptr<CrashFileSystem> ImageAfterPowerCut(PowerCutMode mode, uint64_t seed) const;

  // Bytes that a power cut could lose now; for tests that want to know.
  uint64_t unsynced_bytes() const;

  absl::StatusOr<std::unique_ptr<TableFile>> CreateTable(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenTable(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<LogFile>> CreateLog(std::string_view path,
                                                     uint64_t allocated_bytes) override;
  absl::StatusOr<std::unique_ptr<RandomAccessFile>> OpenLog(std::string_view path) override;
  absl::Status ReplaceFile(std::string_view path, std::string_view contents,
                           bool is_secret = false) override;
  absl::StatusOr<std::string> ReadFile(std::string_view path) override;
  absl::Status DeleteFile(std::string_view path) override;
  absl::Status CreateDirectory(std::string_view path) override;
  absl::Status SyncDirectory(std::string_view path) override;
  absl::StatusOr<std::vector<DirectoryEntry>> ListDirectory(std::string_view path) override;
  absl::StatusOr<std::unique_ptr<FileLock>> LockFile(std::string_view path) override;

  // Shared with the open files, which may outlive the file system.
  class Disk;

 private:
  const std::shared_ptr<Disk> disk_;
};

}  // namespace siltstone

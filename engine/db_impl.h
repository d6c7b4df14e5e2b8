#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "siltstone/db.h"

#include "engine/db_background.h"
#include "engine/db_reader.h"
#include "engine/db_shared.h"
#include "engine/db_writer.h"

namespace siltstone {

// The DB that Open answers: forwards each call to the part whose matter it is.
//
// A read-only database has neither writer nor background part, and holds no lock.
//
// Invariant: a forked child's copy writes nothing and waits for nobody: the files and the lock are the parent's,
// and of the threads that the copy knows of the child has none.
class DbImpl final : public DB {
 public:
  DbImpl(std::shared_ptr<DbShared> shared, std::unique_ptr<FileLock> lock,
         std::unique_ptr<LogWriter> log);
  ~DbImpl() override;

  absl::Status Put(std::string_view key, std::string_view value,
                   const WriteOptions& options) override;
  absl::Status Delete(std::string_view key, const WriteOptions& options) override;
  absl::Status Write(WriteBatch& batch, const WriteOptions& options) override;
  absl::StatusOr<bool> PutIfAbsent(std::string_view key, std::string_view value,
                                   const WriteOptions& options) override;

  GetResult Get(std::string_view key, const ReadOptions& options) override;
  void MultiGet(std::span<const std::string_view> keys, std::span<GetResult> out,
                const ReadOptions& options) override;
  bool MayContain(std::string_view key) override;
  std::unique_ptr<Iterator> NewIterator(const ReadOptions& options) override;
  Snapshot GetSnapshot() override;

  absl::Status Flush() override;
  absl::Status CompactRange(std::optional<std::string_view> begin,
                            std::optional<std::string_view> end) override;
  absl::Status Close() override;
  absl::Status Resume() override;

  std::string GetProperty(std::string_view name) override;
  Statistics GetStatistics() override;
  MemoryReport GetMemoryReport() override;
  absl::Status VerifyChecksums() override;

 private:
  // FailedPrecondition when closed, or opened read-only.
  absl::Status CheckWritable() const;
  absl::Status CheckOpen() const;
  // Where writes are refused for want of space, tries now and then what Resume does. One load when they are not.
  void ResumeWhenSpaceIsBack();
  bool IsForkedCopy() const;

  const std::shared_ptr<DbShared> shared_;  // iterators share it
  const uint64_t fork_generation_;
  std::atomic<uint64_t> next_resume_micros_{0};
  std::atomic<uint64_t> resume_interval_micros_;
  std::unique_ptr<FileLock> lock_;
  DbReader reader_;
  std::unique_ptr<DbBackground> background_;
  std::unique_ptr<DbWriter> writer_;
};

}  // namespace siltstone

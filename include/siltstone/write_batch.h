#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "siltstone/export.h"

namespace siltstone {

// Writes that are applied together: after a crash all of them are there or none is.
//
//   siltstone::WriteBatch batch;
//   batch.Put("account:1", "70");
//   batch.Delete("hold:1");
//   absl::Status status = db->Write(batch);
//
// Later entries of a batch win over earlier ones of the same key. A batch may be written again, and to
// other databases. One batch holds at most kMaxSizeBytes; Write answers InvalidArgument for more.
//
// Thread safety: thread-compatible. Cost: one append to a string per entry.
class SILTSTONE_EXPORT WriteBatch {
 public:
  static constexpr size_t kMaxSizeBytes = size_t{1} << 31;

  // Receives the entries of a batch in order.
  class SILTSTONE_EXPORT Handler {
   public:
    virtual ~Handler() = default;
    virtual void Put(std::string_view key, std::string_view value) = 0;
    virtual void Delete(std::string_view key) = 0;
  };

  void Put(std::string_view key, std::string_view value);
  void Delete(std::string_view key);
  void Clear();

  // Number of entries, and of bytes they take in the log.
  size_t count() const { return count_; }
  size_t size_bytes() const { return entries_.size(); }
  bool empty() const { return count_ == 0; }

  // Calls `handler` once an entry, in the order they were added.
  void Iterate(Handler& handler) const;

  // The entries as FORMAT.md lays them out ("Batch"); for the engine.
  std::string_view entries() const { return entries_; }

 private:
  std::string entries_;
  size_t count_ = 0;
};

}  // namespace siltstone

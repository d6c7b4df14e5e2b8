#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "siltstone/export.h"

namespace siltstone {

// A value read from the database, with the memory that holds it.
//
//   auto value = db->Get("key");
//   if (value.ok() && value->has_value()) Use((**value).view());
//
// Invariants:
//   I1. view() points to the same bytes until the object is destroyed, assigned to or moved from. (Moving
//       may move the bytes: take the view again.)
//   I2. A value of at most kInlineBytes is held inside the object; one of at most kCopyBytes is a copy on
//       the heap; a larger one pins the block or memtable it lies in. It may outlive the DB.
//
// Thread safety: thread-compatible; a const object may be read from many threads.
class SILTSTONE_EXPORT PinnedValue {
 public:
  static constexpr size_t kInlineBytes = 120;
  static constexpr size_t kCopyBytes = 4096;

  // Drops one reference on what a pinned value lies in.
  using ReleaseFunction = void (*)(void* owner);

  PinnedValue() = default;
  ~PinnedValue() { Reset(); }
  PinnedValue(PinnedValue&& other) noexcept { MoveFrom(other); }
  PinnedValue& operator=(PinnedValue&& other) noexcept {
    if (this != &other) {
      Reset();
      MoveFrom(other);
    }
    return *this;
  }
  PinnedValue(const PinnedValue&) = delete;
  PinnedValue& operator=(const PinnedValue&) = delete;

  // A value of its own copy of `bytes`, of any size.
  static PinnedValue Copy(std::string_view bytes);
  // A value that lies in memory owned by `owner`; `release(owner)` is called once, when it is no longer
  // needed, on whatever thread that happens.
  static PinnedValue Pin(std::string_view bytes, void* owner, ReleaseFunction release);

  // The bytes; valid as invariant I1 says. Free of cost.
  std::string_view view() const { return {data(), size_bytes_}; }
  const char* data() const { return data_ == nullptr ? inline_ : data_; }
  size_t size() const { return size_bytes_; }
  bool empty() const { return size_bytes_ == 0; }

  // A copy that has nothing to do with the database.
  std::string ToString() const { return std::string(view()); }

 private:
  void Reset();
  void MoveFrom(PinnedValue& other);

  const char* data_ = nullptr;  // null: the bytes are in inline_
  size_t size_bytes_ = 0;
  void* owner_ = nullptr;
  ReleaseFunction release_ = nullptr;
  char inline_[kInlineBytes];
};

}  // namespace siltstone

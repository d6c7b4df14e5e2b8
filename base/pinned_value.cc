#include "siltstone/pinned_value.h"

#include <cstring>

namespace siltstone {
namespace {

void DeleteCopy(void* copy) { delete[] static_cast<char*>(copy); }

}  // namespace

PinnedValue PinnedValue::Copy(std::string_view bytes) {
  PinnedValue value;
  value.size_bytes_ = bytes.size();
  char* target = value.inline_;
  if (bytes.size() > kInlineBytes) {
    target = new char[bytes.size()];
    value.data_ = target;
    value.owner_ = target;
    value.release_ = &DeleteCopy;
  }
  if (!bytes.empty()) std::memcpy(target, bytes.data(), bytes.size());
  return value;
}

PinnedValue PinnedValue::Pin(std::string_view bytes, void* owner, ReleaseFunction release) {
  PinnedValue value;
  // Null would mean "inline".
  value.data_ = bytes.data() == nullptr ? "" : bytes.data();
  value.size_bytes_ = bytes.size();
  value.owner_ = owner;
  value.release_ = release;
  return value;
}

void PinnedValue::Reset() {
  if (release_ != nullptr) release_(owner_);
  data_ = nullptr;
  size_bytes_ = 0;
  owner_ = nullptr;
  release_ = nullptr;
}

void PinnedValue::MoveFrom(PinnedValue& other) {
  data_ = other.data_;
  size_bytes_ = other.size_bytes_;
  owner_ = other.owner_;
  release_ = other.release_;
  if (data_ == nullptr && size_bytes_ != 0) std::memcpy(inline_, other.inline_, size_bytes_);
  other.data_ = nullptr;
  other.size_bytes_ = 0;
  other.owner_ = nullptr;
  other.release_ = nullptr;
}

}  // namespace siltstone

#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

// Memory for the bits of a filter whose size comes from outside: running out of it is an answer,
// not an exception.

namespace siltstone {

// Zero at first, never resized. The pages of a large one are taken as they are first written.
// Movable, not copied. Thread-compatible.
class ZeroedWords {
 public:
  // ResourceExhausted when there is no such memory.
  static absl::StatusOr<ZeroedWords> Allocate(uint64_t count) {
    uint64_t* words = nullptr;
    if (count <= std::numeric_limits<size_t>::max() / sizeof(uint64_t)) {
      words = static_cast<uint64_t*>(std::calloc(count, sizeof(uint64_t)));
    }
    if (words == nullptr) {
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for a filter of ", count, " words of 8 bytes"));
    }
    return ZeroedWords(words, count);
  }

  uint64_t* data() { return words_.get(); }
  const uint64_t* data() const { return words_.get(); }
  uint64_t count() const { return count_; }
  uint64_t& operator[](uint64_t index) { return words_[index]; }
  uint64_t operator[](uint64_t index) const { return words_[index]; }

  std::string_view bytes() const {
    return {reinterpret_cast<const char*>(words_.get()), size_bytes()};
  }
  size_t size_bytes() const { return static_cast<size_t>(count_) * sizeof(uint64_t); }

 private:
  struct Free {
    void operator()(uint64_t* words) const { std::free(words); }
  };
  ZeroedWords(uint64_t* words, uint64_t count) : words_(words), count_(count) {}

  std::unique_ptr<uint64_t[], Free> words_;
  uint64_t count_;
};

}  // namespace siltstone

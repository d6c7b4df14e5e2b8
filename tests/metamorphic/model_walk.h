#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "siltstone/iterator.h"

#include "base/random.h"
#include "tests/metamorphic/model_keys.h"
#include "tests/metamorphic/model_state.h"

namespace siltstone {

// An iterator of the engine beside one of the model. Single-threaded.
class ModelWalk {
 public:
  ModelWalk(std::unique_ptr<Iterator> actual, ModelIterator expected)
      : actual_(std::move(actual)), expected_(std::move(expected)) {}

  // Takes `steps` random steps and compares after each. What went wrong, or empty.
  std::string Step(Random& random, ModelKeys& keys, uint64_t steps);
  // From end to end in both directions.
  std::string WalkWhole();

 private:
  std::string StepOnce(Random& random, ModelKeys& keys);
  // Empty when both stand at the same entry, or at none.
  std::string Compare(const std::string& step) const;

  std::unique_ptr<Iterator> actual_;
  ModelIterator expected_;
  bool forward_ = true;
};

// Keys and values in messages: printable, cut when long.
std::string Printable(std::string_view bytes);

}  // namespace siltstone

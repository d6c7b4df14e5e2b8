#include "tests/metamorphic/model_walk.h"

#include "absl/strings/escaping.h"

#include "base/to_absl.h"

namespace siltstone {

std::string Printable(std::string_view bytes) {
  constexpr size_t kShownBytes = 60;
  std::string text = "\"" + absl::CHexEscape(ToAbsl(bytes.substr(0, kShownBytes))) + "\"";
  if (bytes.size() > kShownBytes) text += "... (" + std::to_string(bytes.size()) + " bytes)";
  return text;
}

std::string ModelWalk::Compare(const std::string& step) const {
  const std::string at = "iterator, after " + step + ": ";
  if (!actual_->status().ok()) return at + std::string(actual_->status().ToString());
  if (actual_->Valid() != expected_.Valid()) {
    return at + (actual_->Valid() ? "at " + Printable(actual_->key()) + ", expected the end"
                                  : "at the end, expected " + Printable(expected_.key()));
  }
  if (!actual_->Valid()) return "";
  if (actual_->key() != expected_.key()) {
    return at + "at " + Printable(actual_->key()) + ", expected " + Printable(expected_.key());
  }
  if (actual_->value() != expected_.value()) {
    return at + "at " + Printable(actual_->key()) + ": value " + Printable(actual_->value()) +
           ", expected " + Printable(expected_.value());
  }
  return "";
}

std::string ModelWalk::StepOnce(Random& random, ModelKeys& keys) {
  if (random.OneIn(6)) forward_ = !forward_;
  switch (random.Uniform(24)) {
    case 0:
      actual_->SeekToFirst();
      expected_.SeekToFirst();
      return Compare("SeekToFirst");
    case 1:
      actual_->SeekToLast();
      expected_.SeekToLast();
      return Compare("SeekToLast");
    case 2:
    case 3: {
      const std::string target = keys.PickNear();
      actual_->Seek(target);
      expected_.Seek(target);
      return Compare("Seek(" + Printable(target) + ")");
    }
    case 4:
    case 5: {
      const std::string target = keys.PickNear();
      actual_->SeekForPrev(target);
      expected_.SeekForPrev(target);
      return Compare("SeekForPrev(" + Printable(target) + ")");
    }
    default:
      break;
  }
  // Where neither is valid nothing happens, which is compared as well.
  if (forward_) {
    actual_->Next();
    expected_.Next();
    return Compare("Next");
  }
  actual_->Prev();
  expected_.Prev();
  return Compare("Prev");
}

std::string ModelWalk::Step(Random& random, ModelKeys& keys, uint64_t steps) {
  std::string fault;
  if (!expected_.Valid()) {
    const std::string target = keys.PickNear();
    forward_ = random.OneIn(2);
    if (forward_) {
      actual_->Seek(target);
      expected_.Seek(target);
    } else {
      actual_->SeekForPrev(target);
      expected_.SeekForPrev(target);
    }
    fault = Compare((forward_ ? "first Seek(" : "first SeekForPrev(") + Printable(target) + ")");
  }
  for (uint64_t step = 0; step < steps && fault.empty(); ++step) fault = StepOnce(random, keys);
  return fault;
}

std::string ModelWalk::WalkWhole() {
  actual_->SeekToFirst();
  expected_.SeekToFirst();
  std::string fault = Compare("SeekToFirst of a whole walk");
  while (fault.empty() && expected_.Valid()) {
    actual_->Next();
    expected_.Next();
    fault = Compare("Next of a whole walk");
  }
  if (!fault.empty()) return fault;
  actual_->SeekToLast();
  expected_.SeekToLast();
  fault = Compare("SeekToLast of a whole walk");
  while (fault.empty() && expected_.Valid()) {
    actual_->Prev();
    expected_.Prev();
    fault = Compare("Prev of a whole walk");
  }
  return fault;
}

}  // namespace siltstone

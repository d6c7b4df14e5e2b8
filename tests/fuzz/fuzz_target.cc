#include "tests/fuzz/fuzz_target.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace siltstone::fuzz {

namespace {

void SetNumber(std::string* input, size_t at, Random* random) {
  static constexpr std::array<uint64_t, 8> kExtremes = {0,      1,          0x7f,       0x80,
                                                        0xffff, 0x7fffffff, 0xffffffff, UINT64_MAX};
  const size_t width = size_t{1} << random->Uniform(4);
  uint64_t value = kExtremes[random->Uniform(kExtremes.size())] + random->Uniform(3) - 1;
  for (size_t i = at; i < std::min(at + width, input->size()); ++i, value >>= 8) {
    (*input)[i] = static_cast<char>(value);
  }
}

}  // namespace

std::span<const FuzzTarget* const> FuzzTargets() {
  static constexpr std::array kTargets = {&kBatchTarget,       &kDataBlockTarget,  &kExportTarget,
                                          &kFilterBlockTarget, &kFilterFileTarget, &kLogTarget,
                                          &kManifestTarget,    &kTableTarget};
  return kTargets;
}

const FuzzTarget* FindFuzzTarget(std::string_view name) {
  for (const FuzzTarget* target : FuzzTargets()) {
    if (target->name == name) return target;
  }
  return nullptr;
}

std::string Mutate(std::string input, Random* random) {
  for (uint64_t changes = random->Between(1, 6); changes > 0 && !input.empty(); --changes) {
    const size_t at = random->Uniform(input.size());
    const size_t length = random->Between(1, std::min<size_t>(64, input.size() - at));
    switch (random->Uniform(8)) {
      case 0:
        input.resize(at);
        break;
      case 1:
        input.append(random->Between(1, 200), static_cast<char>(random->Next()));
        break;
      case 2:
        input.insert(at, input.substr(random->Uniform(input.size()), random->Between(1, 64)));
        break;
      case 3:
        input.erase(at, length);
        break;
      case 4: {
        const std::string piece = input.substr(at, length);
        input.replace(random->Uniform(input.size() - length + 1), length, piece);
        break;
      }
      case 5:
        SetNumber(&input, at, random);
        break;
      case 6:
        input[at] = static_cast<char>(input[at] ^ 1 << random->Uniform(8));
        break;
      default:
        input[at] = static_cast<char>(random->Next());
    }
  }
  return input;
}

void Expect(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

}  // namespace siltstone::fuzz

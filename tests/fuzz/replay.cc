#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <vector>

#include "base/random.h"
#include "tests/support/test_seed.h"

// A fuzz target as a plain test: NAME_replay CORPUS_DIRECTORY [MUTATIONS] runs every file of the corpus, every one
// with each bit flipped and each number of its first 96 bytes set to extremes, and random mutations of them, through
// the target. It fails when the target does, or when one allocation is larger than the input by more than 64 KiB.

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

size_t most_bytes = SIZE_MAX;

void* Allocate(size_t size, size_t alignment) {
  if (size > most_bytes) {
    std::fprintf(stderr, "an allocation of %zu bytes, at most %zu allowed\n", size, most_bytes);
    std::abort();
  }
  const size_t rounded = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
  void* bytes = std::aligned_alloc(alignment, rounded);
  if (bytes == nullptr) std::abort();
  return bytes;
}

void Run(const std::string& input) {
  most_bytes = input.size() + 65536;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
  most_bytes = SIZE_MAX;
}

void RunWithExtremes(const std::string& input) {
  for (size_t offset = 0; offset < std::min<size_t>(input.size(), 96); ++offset) {
    for (const size_t width : {1, 2, 4, 8}) {
      if (offset + width > input.size()) continue;
      for (const uint64_t value : {uint64_t{0}, uint64_t{1}, UINT64_MAX, UINT64_MAX >> 1,
                                   uint64_t{1} << (8 * width - 1), uint64_t{1} << (4 * width)}) {
        std::string changed = input;
        for (size_t i = 0; i < width; ++i) changed[offset + i] = static_cast<char>(value >> 8 * i);
        Run(changed);
      }
    }
  }
}

void RunWithFlippedBits(const std::string& input) {
  for (size_t bit = 0; bit < input.size() * 8; ++bit) {
    std::string changed = input;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ 1 << bit % 8);
    Run(changed);
  }
}

std::string Mutate(std::string input, siltstone::Random* random) {
  for (uint64_t changes = random->Between(1, 6); changes > 0 && !input.empty(); --changes) {
    const size_t at = random->Uniform(input.size());
    switch (random->Uniform(4)) {
      case 0:
        input[at] = static_cast<char>(random->Next());
        break;
      case 1:
        input.resize(at);
        break;
      case 2:
        input.append(random->Between(1, 200), static_cast<char>(random->Next()));
        break;
      default:
        input.insert(at, input.substr(random->Uniform(input.size()), random->Between(1, 64)));
    }
  }
  return input;
}

std::vector<std::string> ReadCorpus(const char* directory) {
  std::vector<std::string> paths, inputs = {""};
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

}  // namespace

void* operator new(size_t size) { return Allocate(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t alignment) {
  return Allocate(size, static_cast<size_t>(alignment));
}
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::align_val_t) noexcept { std::free(bytes); }
void operator delete(void* bytes, size_t, std::align_val_t) noexcept { std::free(bytes); }

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS_DIRECTORY [MUTATIONS]\n", argv[0]);
    return 2;
  }
  const std::vector<std::string> corpus = ReadCorpus(argv[1]);
  if (corpus.size() < 2) {
    std::fprintf(stderr, "no corpus in %s\n", argv[1]);
    return 1;
  }
  for (const std::string& input : corpus) {
    Run(input);
    RunWithFlippedBits(input);
    RunWithExtremes(input);
  }
  siltstone::Random random(siltstone::TestSeed());
  const uint64_t mutations = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 20'000;
  for (uint64_t i = 0; i < mutations; ++i) {
    Run(Mutate(corpus[random.Uniform(corpus.size())], &random));
  }
  std::printf("%zu inputs of the corpus, %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(mutations));
}

#include "tests/damage/damage_sweeps.h"

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/random.h"
#include "tests/engine/test_database.h"
#include "tests/support/test_seed.h"

namespace siltstone {
size_t EndOfBytes(const std::string& bytes) {
  const size_t last = bytes.find_last_not_of('\0');
  return last == std::string::npos ? 0 : last + 1;
}

DamageSweeps::DamageSweeps() : trials_(MakeSampleDatabase(TestSeed())), seed_(TestSeed()) {}

DamageSweeps::~DamageSweeps() { std::cout << counts().ToString() << std::endl; }

bool DamageSweeps::Try(const FolderImage& image, const std::vector<std::string>& damaged,
                       const std::string& what) {
  std::string fault = trials_.Try(image, damaged);
  // Of a table nothing escapes the check of the whole.
  if (fault.empty() && damaged[0].ends_with(".sst") && !trials_.last_was_refused() &&
      !trials_.last_was_noticed() && !trials_.last_was_dropped()) {
    fault = "escapes the check";
  }
  EXPECT_EQ(fault, "") << what << " of " << damaged[0];
  return fault.empty();
}

bool DamageSweeps::TryBytes(const std::string& name, std::string bytes, const std::string& what) {
  FolderImage image = files();
  image[name] = std::move(bytes);
  return Try(image, {name}, what);
}

bool DamageSweeps::TryTail(const std::string& name, uint64_t from, std::string bytes,
                           const std::string& what) {
  const SampleDatabase& sample = trials_.sample();
  if (name != sample.last_log) return TryBytes(name, std::move(bytes), what);
  // The records before the tail are there, and no other.
  const auto whole =
      std::upper_bound(sample.record_borders.begin() + 1, sample.record_borders.end(), from);
  trials_.AllowState(sample.log_states[whole - sample.record_borders.begin() - 1]);
  const bool good = TryBytes(name, std::move(bytes), what);
  trials_.AllowState(std::nullopt);
  return good;
}

void DamageSweeps::FlipBits(uint64_t stride) {
  Random random(seed_);
  for (const auto& [name, bytes] : files()) {
    const size_t end = EndOfBytes(bytes);
    std::vector<size_t> bits;
    for (size_t bit = random.Uniform(stride); bit < 8 * end; bit += stride) bits.push_back(bit);
    // Of what is allocated ahead, a sample.
    for (size_t i = 0; i < 100 && end < bytes.size(); ++i) {
      bits.push_back(8 * end + random.Uniform(8 * (bytes.size() - end)));
    }
    for (const size_t bit : bits) {
      std::string damaged = bytes;
      damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
      if (!TryBytes(name, std::move(damaged), "flipped bit " + std::to_string(bit))) return;
    }
  }
}

void DamageSweeps::CutFiles(uint64_t stride) {
  Random random(seed_);
  for (const auto& [name, bytes] : files()) {
    const size_t end = EndOfBytes(bytes);
    std::vector<size_t> lengths = {0, bytes.size() - 1};
    for (size_t at = random.Uniform(stride); at < end; at += stride) lengths.push_back(at);
    for (const size_t length : lengths) {
      if (!TryBytes(name, bytes.substr(0, length), "cut to " + std::to_string(length))) return;
    }
  }
}

void DamageSweeps::ZeroTails(uint64_t stride) {
  Random random(seed_);
  for (const auto& [name, bytes] : files()) {
    const size_t end = EndOfBytes(bytes);
    for (size_t at = random.Uniform(stride); at < end; at += stride) {
      std::string damaged = bytes.substr(0, at);
      damaged.resize(bytes.size(), '\0');
      if (!TryTail(name, at, std::move(damaged), "zeroes from " + std::to_string(at))) return;
    }
  }
}

void DamageSweeps::NoiseTails(uint64_t stride) {
  Random random(seed_);
  for (const auto& [name, bytes] : files()) {
    const std::string noise = NoiseBytes(seed_, bytes.size());
    for (size_t at = random.Uniform(stride); at < EndOfBytes(bytes); at += stride) {
      if (!TryTail(name, at, bytes.substr(0, at) + noise.substr(at),
                   "noise from " + std::to_string(at))) {
        return;
      }
    }
    for (const size_t more : {size_t{1}, size_t{100}, size_t{5000}}) {
      if (!TryBytes(name, bytes + NoiseBytes(seed_, more), "noise behind the end")) return;
    }
  }
}

void DamageSweeps::CopyStretches(uint64_t count) {
  Random random(seed_);
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files()) names.push_back(name);
  while (count-- > 0) {
    const std::string& from = names[random.Uniform(names.size())];
    const std::string& to = random.OneIn(2) ? from : names[random.Uniform(names.size())];
    const std::string& source = files().at(from);
    std::string damaged = files().at(to);
    const size_t length = 1 + random.Uniform(std::min<size_t>(600, EndOfBytes(source)));
    const size_t begin = random.Uniform(EndOfBytes(source) - length + 1);
    const size_t at = random.Uniform(EndOfBytes(damaged));
    damaged.replace(at, std::min(length, damaged.size() - at), source, begin,
                    std::min(length, damaged.size() - at));
    if (damaged == files().at(to)) continue;
    if (!TryBytes(to, std::move(damaged),
                  std::to_string(length) + " bytes from " + from + " at " + std::to_string(begin) +
                      " copied to " + std::to_string(at))) {
      return;
    }
  }
}

}  // namespace siltstone

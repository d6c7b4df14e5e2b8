#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/damage/damage_trial.h"

namespace siltstone {

// The kinds of damage that are tried at each place of each file of the sample. Of the places one in `stride` is
// taken, the first one at random: with 1 all are.
//
// Single-threaded. Ends at the first silent fault, which is a test failure that names file and place.
class DamageSweeps : public testing::Test {
 protected:
  DamageSweeps();
  ~DamageSweeps() override;

  void FlipBits(uint64_t stride);
  // The file ends at each length.
  void CutFiles(uint64_t stride);
  // From each offset on zeroes, up to the file's size.
  void ZeroTails(uint64_t stride);
  // From each offset on noise, up to the file's size; and noise appended to the whole file.
  void NoiseTails(uint64_t stride);
  // A stretch of a file copied over another one of the same or of another file. `count` such copies.
  void CopyStretches(uint64_t count);

  const FolderImage& files() const { return trials_.sample().files; }
  // Answers whether there was no fault.
  bool Try(const FolderImage& image, const std::vector<std::string>& damaged,
           const std::string& what);
  // One file has other bytes.
  bool TryBytes(const std::string& name, std::string bytes, const std::string& what);
  const DamageCounts& counts() const { return trials_.counts(); }

 private:
  // As TryBytes, where all bytes from `from` on are others.
  bool TryTail(const std::string& name, uint64_t from, std::string bytes, const std::string& what);

  DamageTrials trials_;
  uint64_t seed_;
};

// The offset behind the last byte that is not zero: logs are allocated ahead.
size_t EndOfBytes(const std::string& bytes);

}  // namespace siltstone

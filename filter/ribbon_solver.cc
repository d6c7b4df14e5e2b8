#include "filter/ribbon_solver.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "base/coding.h"
#include "filter/ribbon_math.h"

namespace siltstone {

namespace {

constexpr uint64_t kParallelColumns = 4;

// The bit of one column in the next row up: `below` are the 64 rows after it, the nearest lowest.
inline uint64_t ShiftIn(uint64_t below, uint64_t coefficients, uint64_t fingerprint_bit) {
  const uint64_t rows = below << 1;
  const auto sum = static_cast<uint64_t>(__builtin_parityll(rows & coefficients));
  return rows | ((sum ^ fingerprint_bit) & coefficients & 1);
}

// Solves up to four columns together, from the last row to the first, and stores those that a block has.
struct ColumnGroup {
  uint64_t first = 0, most_columns = 0, split_block = 0;

  void Solve(const std::vector<uint64_t>& coefficients, const std::vector<uint64_t>& fingerprints,
             char* words) const {
    std::array<uint64_t, kParallelColumns> below{};
    for (uint64_t block = coefficients.size() / kRibbonBlockRows; block-- > 0;) {
      for (uint64_t row = (block + 1) * kRibbonBlockRows; row-- > block * kRibbonBlockRows;) {
        const uint64_t fingerprint = fingerprints[row] >> first;
        for (uint64_t i = 0; i < kParallelColumns; ++i) {
          below[i] = ShiftIn(below[i], coefficients[row], fingerprint >> i);
        }
      }
      Store(below, block, words);
    }
  }

  void Store(const std::array<uint64_t, kParallelColumns>& solved, uint64_t block,
             char* words) const {
    const uint64_t behind_split = block - std::min(block, split_block);
    const uint64_t first_word = block * (most_columns - 1) + behind_split;
    const uint64_t columns = most_columns - (block < split_block);
    for (uint64_t i = 0; i < kParallelColumns && first + i < columns; ++i) {
      StoreFixed64(words + (first_word + first + i) * 8, solved[i]);
    }
  }
};

// One pass of a counting sort by 11 bits of the position.
constexpr uint64_t kDigitBits = 11;
void SortByDigit(uint64_t factor, uint64_t shift, const std::vector<uint64_t>& from,
                 std::vector<uint64_t>* to) {
  constexpr uint64_t kMask = (uint64_t{1} << kDigitBits) - 1;
  std::array<size_t, kMask + 1> places{};
  for (const uint64_t key : from) ++places[key * factor >> shift & kMask];
  size_t place = 0;
  for (size_t& count : places) {
    const size_t next = place + count;
    count = place;
    place = next;
  }
  for (const uint64_t key : from) (*to)[places[key * factor >> shift & kMask]++] = key;
}

}  // namespace

void RibbonBand::Reset(uint64_t blocks) {
  SILTSTONE_DCHECK(blocks >= 2);
  coefficients_.assign(blocks * kRibbonBlockRows, 0);
  fingerprints_.assign(blocks * kRibbonBlockRows, 0);
  added_.clear();
}

bool RibbonBand::Insert(uint64_t start, uint64_t coefficients, uint64_t fingerprint) {
  SILTSTONE_DCHECK((coefficients & 1) != 0 && start + kRibbonBlockRows < coefficients_.size());
  uint64_t row = start;
  while (coefficients_[row] != 0) {
    coefficients ^= coefficients_[row];
    fingerprint ^= fingerprints_[row];
    if (coefficients == 0) return false;
    const int step = std::countr_zero(coefficients);
    coefficients >>= step;
    row += static_cast<uint64_t>(step);
  }
  coefficients_[row] = coefficients;
  fingerprints_[row] = fingerprint;
  added_.push_back(row);
  return true;
}

void RibbonBand::Rollback() {
  for (const uint64_t row : added_) coefficients_[row] = fingerprints_[row] = 0;
  added_.clear();
}

void RibbonBand::AppendSolution(uint64_t most_columns, uint64_t split_block,
                                std::string* out) const {
  const uint64_t blocks = coefficients_.size() / kRibbonBlockRows;
  const size_t offset = out->size();
  out->resize(offset + (blocks * most_columns - split_block) * 8);
  for (uint64_t first = 0; first < most_columns; first += kParallelColumns) {
    const ColumnGroup group{
        .first = first, .most_columns = most_columns, .split_block = split_block};
    group.Solve(coefficients_, fingerprints_, out->data() + offset);
  }
}

void SortRibbonKeys(uint64_t factor, std::vector<uint64_t>* keys, std::vector<uint64_t>* spare) {
  const auto before = [factor](uint64_t a, uint64_t b) { return a * factor < b * factor; };
  spare->resize(keys->size());
  SortByDigit(factor, 64 - 2 * kDigitBits, *keys, spare);
  SortByDigit(factor, 64 - kDigitBits, *spare, keys);
  // The high 22 bits are in order; the few keys that share them are not yet.
  for (auto run = keys->begin(); run != keys->end();) {
    auto end = run + 1;
    const uint64_t high = *run * factor >> (64 - 2 * kDigitBits);
    while (end != keys->end() && *end * factor >> (64 - 2 * kDigitBits) == high) ++end;
    if (end - run > 1) std::sort(run, end, before);
    run = end;
  }
  keys->erase(std::unique(keys->begin(), keys->end()), keys->end());
}

}  // namespace siltstone

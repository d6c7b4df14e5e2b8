#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Solves the equations of one layer of a ribbon: Gaussian elimination in a band of 64 columns, as they come.
//
//   RibbonBand band;
//   band.Reset(blocks);
//   for (...) if (!band.Insert(start, coefficients, fingerprint)) ...   // no row left for it
//   band.AppendSolution(most_columns, split_block, &payload);
//
// An equation is kept at the first of its rows that no other equation has; where that row is taken, the other equation is
// added to it, which moves its first row on. From the last row to the first each row then has one unknown.
// (P. Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and Xor", 2021, section 2.)

namespace siltstone {

// Thread-compatible. Memory: 16 bytes a row, kept from one Reset to the next.
class RibbonBand {
 public:
  // Empty, with 64 rows a block. REQUIRES: blocks >= 2.
  void Reset(uint64_t blocks);

  // Memory of the band that is free until the next Reset.
  std::vector<uint64_t>* spare() { return &coefficients_; }

  // Adds the equation "the rows start + i, for each bit i of `coefficients`, sum to `fingerprint`". False when it
  // contradicts those before (or follows from them): it is then not added. REQUIRES: bit 0 of `coefficients` is set,
  // start < 64 (blocks - 1). Cost: some 20 steps in a band that is nearly full, each waiting for the one before.
  bool Insert(uint64_t start, uint64_t coefficients, uint64_t fingerprint);

  // Takes out all that was added since the last Mark.
  void Mark() { added_.clear(); }
  void Rollback();

  // Appends the words of the solution: for each block one word a column, bit i of it the column's bit in row i;
  // blocks before `split_block` without the last column. Rows that no equation needs are 0.
  // REQUIRES: 1 <= most_columns <= 40, split_block < blocks. Cost: O(rows * columns).
  void AppendSolution(uint64_t most_columns, uint64_t split_block, std::string* out) const;

 private:
  std::vector<uint64_t>
      coefficients_;  // of each row's equation, from this row on: bit 0 set, or 0 for none
  std::vector<uint64_t> fingerprints_;
  std::vector<uint64_t> added_;  // rows taken since the last Mark
};

// Sorts distinct keys by h * factor (mod 2^64), and of equal keys keeps one. `spare` is scratch of any content.
// Cost: two passes of a counting sort, some 10 ns a key.
void SortRibbonKeys(uint64_t factor, std::vector<uint64_t>* keys, std::vector<uint64_t>* spare);

}  // namespace siltstone

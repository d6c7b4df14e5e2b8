#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "siltstone/db.h"

#include "base/coding.h"
#include "base/hash.h"
#include "engine/compaction/table_store.h"
#include "engine/manifest/version_keeper.h"

// A database whose sorted runs have exactly the sizes that a test asks for, made by the engine's own jobs while the
// database is closed. It is then read through DB::Open, read-only, so that the shape stays.

namespace siltstone {

// Eight bytes, in random order: Remix is a bijection, so keys of different numbers differ.
class ScatteredKey {
 public:
  explicit ScatteredKey(uint64_t number) : ScatteredKey(Place{Remix(number)}) {}
  // The key that sorts at this place among all 64-bit numbers.
  struct Place {
    uint64_t value;
  };
  explicit ScatteredKey(Place place) {
    for (int i = 0; i < 8; ++i) bytes_[i] = static_cast<char>(place.value >> (56 - 8 * i));
  }
  std::string_view view() const { return {bytes_, sizeof(bytes_)}; }

 private:
  char bytes_[8];
};

// Single-threaded.
class LayeredTree {
 public:
  // Creates the database at `path` with one run a level, `run_keys[i]` scattered keys on level i, none of them twice:
  // run 0 has the keys of the numbers below run_keys[0], and so on. Tables have `table_bytes`; no filters yet.
  LayeredTree(std::shared_ptr<FileSystem> file_system, std::string path,
              std::span<const uint64_t> run_keys, uint64_t table_bytes);

  // Takes a closed database as it is.
  LayeredTree(std::shared_ptr<FileSystem> file_system, std::string path, uint64_t table_bytes)
      : file_system_(std::move(file_system)), path_(std::move(path)), table_bytes_(table_bytes) {}

  // Compacts every run in place, with these options: so all tables get their filter in view of the whole tree.
  void RewriteWith(const FilterDemand& filters);

  // To be read only.
  std::unique_ptr<DB> Open() const;

 private:
  struct Access;
  // Opens what is on disk for jobs, and installs what `work` does to it.
  void Change(const FilterDemand& filters, const std::function<void(Access&)>& work);
  static void RewriteRun(Access& access, int level, std::vector<std::shared_ptr<Table>> tables,
                         uint64_t table_bytes);
  void WriteRun(Access& access, int level, uint64_t first_number, uint64_t count);

  const std::shared_ptr<FileSystem> file_system_;
  const std::string path_;
  const uint64_t table_bytes_;
};

}  // namespace siltstone

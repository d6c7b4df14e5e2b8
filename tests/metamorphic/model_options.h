#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "siltstone/options.h"

namespace siltstone {

// One way to run the model.
struct ModelOptionSet {
  std::string name;
  Options options;       // without a file system and create_if_missing
  bool on_disk = false;  // the POSIX file system, else one in memory
  size_t key_count = 600;
  size_t max_value_bytes = 200;
  uint64_t reopen_every = 3000;  // operations, on average
  int share = 1;                 // of all operations
};

// Sixteen, half of them on disk: small memtables and blocks, so that flushes and compactions never stop, in all
// combinations that differ inside the engine.
std::vector<ModelOptionSet> ModelOptionSets();

}  // namespace siltstone

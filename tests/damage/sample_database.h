#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "siltstone/options.h"

namespace siltstone {

// The files of a database folder, by name.
using FolderImage = std::map<std::string, std::string>;

// A small database as a power cut would leave it beside a running writer: tables on two levels and at level 0, with
// overwritten and deleted keys, and two logs, the older one sealed with its flush still under way. Every write was
// acknowledged under kSync. A plain value.
struct SampleDatabase {
  FolderImage files;  // without the info log and the lock, which nothing reads
  using Entries = std::map<std::string, std::string>;
  Entries entries;
  std::vector<std::string> absent_keys;  // never written, or deleted
  // The last log, where its records begin and the last one ends, and what was there before each and after all. A
  // tail of this log that looks as if it had never been written, or as if a crash had interrupted it, cannot be told
  // from one (FORMAT.md, L17): then one of these states is the right answer.
  std::string last_log;
  std::vector<uint64_t> record_borders;
  std::vector<Entries> log_states;
};

// The same for the same seed but for random ids and secrets.
SampleDatabase MakeSampleDatabase(uint64_t seed);

// Default options over a file system in memory that holds the image at "/db"; but for small write buffers, as each open
// allocates a log of their size.
Options OptionsOver(const FolderImage& image);

// What the folder holds now, without the info log and the lock.
FolderImage ReadImage(FileSystem& file_system, const std::string& folder);

// The names of the image that end, or begin, so.
std::vector<std::string> NamesEndingWith(const FolderImage& image, const std::string& ending);
std::vector<std::string> NamesBeginningWith(const FolderImage& image, const std::string& start);

}  // namespace siltstone

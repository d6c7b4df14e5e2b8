#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "siltstone/db.h"

// A million Gets of cached keys, for those who watch from outside: that such a read makes no system call and takes no
// lock.
//
//   cached_reads [GETS]
//
// The measured part lies between two calls of access() on paths that do not exist and whose names say so, which a
// trace of system calls shows, and in a function of its own, for a profiler:
//
//   valgrind --tool=callgrind --toggle-collect='*CachedGetLoop*' cached_reads 10000
//   callgrind_annotate --threshold=100 callgrind.out.* | grep -iE 'mutex|futex|malloc|operator new|LZ4'
//
// which prints nothing. With --dump-instr=yes the only locked instruction in the list is one xchg a Get: the store
// that begins the reader's epoch, on a cache line of the thread's own.

namespace {

constexpr int kKeys = 20'000;
constexpr size_t kValueBytes = 100;

std::string KeyOf(int number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(10 - digits.size(), '0') + digits;
}

[[noreturn]] void Fail(const std::string& what) {
  std::fprintf(stderr, "cached_reads: %s\n", what.c_str());
  std::exit(1);
}

void Expect(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

// In a table on level 1, in a newer one on level 0, and in the memtable.
void Fill(siltstone::DB& db) {
  const std::string value(kValueBytes, 'v');
  for (int i = 0; i < kKeys; ++i) Expect(db.Put(KeyOf(i), value));
  Expect(db.CompactRange());
  for (int i = 0; i < kKeys; i += 7) Expect(db.Put(KeyOf(i), value));
  Expect(db.Flush());
  for (int i = 0; i < kKeys; i += 11) Expect(db.Put(KeyOf(i), value));
}

// Brings every block into the cache.
void WarmUp(siltstone::DB& db, const std::vector<std::string>& keys) {
  for (int round = 0; round < 3; ++round) {
    for (const std::string& key : keys) Expect(db.Get(key).status());
  }
}

// How many were found. Not inlined, so that profilers find it.
[[gnu::noinline]] uint64_t CachedGetLoop(siltstone::DB& db, const std::vector<std::string>& keys,
                                         uint64_t gets) {
  uint64_t found = 0;
  size_t next = 0;
  for (uint64_t i = 0; i < gets; ++i) {
    const auto value = db.Get(keys[next]);
    if (value.ok() && value->has_value() && (*value)->size() == kValueBytes) ++found;
    if (++next == keys.size()) next = 0;
  }
  return found;
}

void Mark(const char* path) {
  if (access(path, F_OK) == 0) Fail("there is a file that must not be there");
}

}  // namespace

int main(int argument_count, char** arguments) {
  const uint64_t gets =
      argument_count > 1 ? std::strtoull(arguments[1], nullptr, 0) : uint64_t{1'000'000};
  std::string folder = (std::filesystem::temp_directory_path() / "cached-reads-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) Fail("cannot create " + folder);
  {
    siltstone::Options options;
    options.create_if_missing = true;
    options.durability = siltstone::Durability::kBuffered;
    auto db = siltstone::DB::Open(options, folder + "/db");
    Expect(db.status());
    Fill(**db);
    std::vector<std::string> keys;
    for (int i = 0; i < kKeys; ++i) keys.push_back(KeyOf((i * 7919) % kKeys));
    WarmUp(**db, keys);

    const uint64_t misses = (*db)->GetStatistics().block_cache_misses;
    Mark("/no-such-marker/cached-reads-begin");
    const uint64_t found = CachedGetLoop(**db, keys, gets);
    Mark("/no-such-marker/cached-reads-end");
    if (found != gets) Fail("found " + std::to_string(found) + " of " + std::to_string(gets));
    if ((*db)->GetStatistics().block_cache_misses != misses) Fail("reads missed the cache");
    Expect((*db)->Close());
  }
  std::filesystem::remove_all(folder);
  std::printf("%llu cached gets\n", static_cast<unsigned long long>(gets));
  return 0;
}

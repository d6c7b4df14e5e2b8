#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/wal/log_bytes.h"

// Crashes of the writer, by a kill and by a power cut: they are no damage, everything synced is there, and
// nothing behind the first hole is.

namespace siltstone {
namespace {

using Step = RecordingLogFile::Step;
using State = RecordingLogFile::State;

constexpr size_t kAllocatedBytes = 8192;

// What a file holds after some of its steps; of the last one only `cut` bytes.
std::string After(const State& state, uint64_t created_bytes, size_t steps,
                  size_t cut = std::string::npos) {
  std::string bytes(created_bytes, '\0');
  for (size_t i = 0; i < steps; ++i) {
    const Step& step = state.steps[i];
    if (step.kind == Step::Kind::kAllocate) bytes.resize(std::max(bytes.size(), step.size));
    if (step.kind != Step::Kind::kAppend) continue;
    const size_t size = i + 1 == steps ? std::min(cut, step.bytes.size()) : step.bytes.size();
    bytes.replace(step.offset, size, step.bytes, 0, size);
  }
  return bytes;
}

// Records found are the first of those written, at least those synced.
void ExpectPrefix(const LogUnderTest& log, const std::string& bytes, uint64_t synced_bytes) {
  const ReadLog read = ReadAll(bytes);
  ASSERT_TRUE(read.status.ok()) << read.status;
  ASSERT_LE(read.payloads.size(), log.payloads.size());
  for (size_t i = 0; i < read.payloads.size(); ++i) ASSERT_EQ(read.payloads[i], log.payloads[i]);
  const auto synced = static_cast<size_t>(
      std::lower_bound(log.offsets.begin(), log.offsets.end(), synced_bytes) - log.offsets.begin());
  ASSERT_GE(read.payloads.size(), synced);
}

// Every write cut at every byte, as a kill leaves it: the records before are all there.
TEST(LogCrash, AWriteCutAtAnyByteIsATornTail) {
  for (const uint64_t allocated : {uint64_t{300}, kAllocatedBytes + 0}) {
    LogUnderTest log(allocated);
    // A log that grows is a mebibyte: fewer cuts of it.
    const size_t large = allocated == kAllocatedBytes ? 700 : 90;
    for (const size_t size : {size_t{5}, size_t{60}, size_t{0}, size_t{8}, large, size_t{23}}) {
      log.Append(std::string(size, 'k'), 1);
      if (size == 60) log.Sync();
    }
    const State& state = *log.file_system.state;
    const uint64_t created = log.writer->header().allocated_bytes;
    size_t data_records = 0;
    for (size_t i = 2; i < state.steps.size(); ++i) {
      const Step& step = state.steps[i];
      if (step.kind != Step::Kind::kAppend) continue;
      for (size_t cut = 0; cut < step.bytes.size(); ++cut) {
        const ReadLog read = ReadAll(After(state, created, i + 1, cut));
        ASSERT_TRUE(read.status.ok()) << "step " << i << " cut " << cut << ": " << read.status;
        ASSERT_EQ(read.payloads.size(), data_records) << "step " << i << " cut " << cut;
        ASSERT_EQ(read.valid_size, step.offset);
        ASSERT_LE(read.torn_bytes, cut);
        ASSERT_EQ(read.torn_bytes == 0, step.bytes.find_first_not_of('\0') >= cut);
      }
      const auto offset = std::find(log.offsets.begin(), log.offsets.end(), step.offset);
      if (offset != log.offsets.end()) ++data_records;
      ExpectPrefix(log, After(state, created, i + 1), 0);
    }
    ASSERT_EQ(data_records, log.payloads.size());
  }
}

// Every combination of unsynced sectors lost, the records starting at each place within a sector.
TEST(LogCrash, AnyUnsyncedSectorsMayBeLost) {
  for (size_t shift = 0; shift < kSectorBytes; shift += 8) {
    LogUnderTest log(kAllocatedBytes);
    log.Append(std::string(shift, 's'), 1);
    log.Sync();
    const uint64_t synced = log.writer->size_bytes();
    const std::string durable = log.bytes();
    for (const size_t size : {3, 500, 30, 0, 900, 200, 5}) log.Append(std::string(size, 'u'), 1);
    const uint64_t first = synced / kSectorBytes;
    const uint64_t count = (log.writer->size_bytes() + kSectorBytes - 1) / kSectorBytes - first;
    ASSERT_LE(count, 6u);
    for (uint64_t kept = 0; kept < uint64_t{1} << count; ++kept) {
      std::string bytes = durable;
      for (uint64_t i = 0; i < count; ++i) {
        if ((kept >> i & 1) == 0) continue;
        const uint64_t at = (first + i) * kSectorBytes;
        bytes.replace(at, kSectorBytes, log.bytes(), at, kSectorBytes);
      }
      ASSERT_NO_FATAL_FAILURE(ExpectPrefix(log, bytes, synced)) << shift << " kept " << kept;
      const ReadLog read = ReadAll(bytes);
      // Nothing behind the first lost sector counts.
      for (uint64_t i = 0; i < count; ++i) {
        if ((kept >> i & 1) != 0) continue;
        ASSERT_LE(read.valid_size, std::max(synced, (first + i) * kSectorBytes)) << shift;
        break;
      }
    }
  }
}

// Each unsynced sector on its own holds what it held after any of the writes since the sync, the last
// of which may be cut by a kill.
TEST(LogCrash, UnsyncedSectorsMayBeOfAnyAge) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int round = 0; round < 3000; ++round) {
    const uint64_t allocated = random.OneIn(10) ? random.Between(0, 2000) : kAllocatedBytes;
    LogUnderTest log(allocated);
    for (uint64_t i = random.Between(1, 12); i > 0; --i) {
      const uint64_t most = random.OneIn(3) ? 1200 : 60;
      log.Append(std::string(random.Uniform(most), static_cast<char>(random.Uniform(3))), i);
      if (random.OneIn(5)) log.Sync();
    }
    const State& state = *log.file_system.state;
    const uint64_t created = log.writer->header().allocated_bytes;
    const size_t steps = random.Between(2, state.steps.size());
    size_t synced_steps = 2;
    for (size_t i = 2; i < steps; ++i) {
      if (state.steps[i].kind == Step::Kind::kSync) synced_steps = i + 1;
    }
    const size_t cut = random.OneIn(2) ? std::string::npos : random.Uniform(1300);
    std::vector<std::string> ages;
    for (size_t i = synced_steps; i <= steps; ++i) {
      ages.push_back(After(state, created, i, i == steps ? cut : std::string::npos));
    }
    if (steps == synced_steps) ages = {After(state, created, steps)};
    std::string bytes = ages.front();
    // The length may have become durable, or not.
    if (random.OneIn(2)) bytes.resize(ages.back().size());
    for (size_t at = 0; at < bytes.size() && at < ages.back().size(); at += kSectorBytes) {
      const std::string& age = ages[random.OneIn(3) ? 0 : random.Uniform(ages.size())];
      const size_t size = std::min(kSectorBytes + 0, bytes.size() - at);
      if (at + size <= age.size()) bytes.replace(at, size, age, at, size);
      if (at > log.writer->size_bytes()) break;
    }
    uint64_t synced_bytes = 0;
    for (size_t i = 0; i < synced_steps; ++i) {
      const Step& step = state.steps[i];
      if (step.kind == Step::Kind::kAppend) synced_bytes = step.offset + step.bytes.size();
    }
    ASSERT_NO_FATAL_FAILURE(ExpectPrefix(log, bytes, synced_bytes)) << "round " << round;
  }
}

// The file was made longer, or not, but the record that says so is not there.
TEST(LogCrash, ACrashWhileGrowingIsNoDamage) {
  LogUnderTest log(400);
  log.Append(std::string(100, 'a'));
  log.Append(std::string(900, 'b'));
  const State& state = *log.file_system.state;
  for (size_t steps = 2; steps <= state.steps.size(); ++steps) {
    ExpectPrefix(log, After(state, 400, steps), 0);
  }
}

}  // namespace
}  // namespace siltstone

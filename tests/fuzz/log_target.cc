#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "siltstone/file_system.h"

#include "engine/wal/log_reader.h"
#include "engine/wal/log_writer.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/reseal.h"

namespace siltstone::fuzz {

namespace {

constexpr char kPath[] = "/log";

struct Reading {
  bool opened = false;
  absl::Status status;  // of the open, or of the last step
  std::vector<std::pair<uint64_t, std::string>> records;
  uint64_t valid_bytes = 0, skipped_bytes = 0, torn_bytes = 0;
};

Reading ReadLog(FileSystem& files, const LogExpectation& expectation,
                const LogReadOptions& options) {
  Reading reading;
  auto file = files.OpenLog(kPath);
  Expect(file.ok(), "a file in memory opens");
  const auto reader = LogReader::Open(*std::move(file), kPath, expectation, options);
  reading.status = reader.status();
  if (!reader.ok()) return reading;
  reading.opened = true;
  LogRecord record;
  for (;;) {
    const absl::StatusOr<bool> more = (*reader)->Next(&record);
    reading.status = more.status();
    if (!more.ok() || !*more) break;
    reading.records.emplace_back(record.offset, record.payload);
  }
  const absl::StatusOr<bool> again = (*reader)->Next(&record);
  Expect(again.status() == reading.status && (!again.ok() || !*again), "an end stays an end");
  reading.valid_bytes = (*reader)->valid_size_bytes();
  reading.skipped_bytes = (*reader)->skipped_bytes();
  reading.torn_bytes = (*reader)->torn_bytes();
  return reading;
}

void CheckSealed(FileSystem& files, const Reading& strict) {
  if (!strict.opened || !strict.status.ok()) return;
  LogExpectation expectation;
  expectation.sealed_size = strict.valid_bytes;
  const Reading sealed = ReadLog(files, expectation, {});
  Expect(sealed.opened && sealed.status.ok() && sealed.records == strict.records,
         "a log reads the same when it was sealed where it ended");
}

void Run(const std::string& input) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  Expect(files->ReplaceFile(kPath, input).ok(), "a file in memory is written");
  const Reading strict = ReadLog(*files, {}, {});
  const Reading salvaged = ReadLog(*files, {}, {.salvage = true});
  Expect(strict.status.ok() || strict.status.message().find(kPath) != std::string::npos,
         "an error names the file");
  Expect(!strict.opened || salvaged.opened, "salvage opens what opens");
  Expect(strict.records.size() <= salvaged.records.size() &&
             std::equal(strict.records.begin(), strict.records.end(), salvaged.records.begin()),
         "salvage gives all records before the damage");
  Expect(!salvaged.opened || salvaged.status.ok(), "salvage ends without an error");
  if (strict.status.ok()) {
    Expect(salvaged.records == strict.records && salvaged.skipped_bytes == 0,
           "there is nothing to salvage in a sound log");
    const Reading live = ReadLog(*files, {}, {.live = true});
    Expect(live.status.ok() && live.records == strict.records, "a sound log reads the same live");
  }
  CheckSealed(*files, strict);
}

std::string MakeLog(const std::vector<std::string>& payloads) {
  const std::shared_ptr<FileSystem> files = NewMemoryFileSystem();
  const LogHeader header{.kind = LogKind::kWal,
                         .database_id = {3, 4},
                         .epoch = 1,
                         .number = 7,
                         .mask = 0x0123456789abcdef};
  const auto log = LogWriter::Create(*files, header, kPath, 1024);
  Expect(log.ok(), "a log in memory is created");
  SequenceNumber sequence = 1;
  for (const std::string& payload : payloads) {
    Expect((*log)->Append(payload, sequence).ok() && (*log)->Sync().ok(), "a log is written");
    sequence += 10;
  }
  return *files->ReadFile(kPath);
}

std::vector<std::string> MakeSeeds() {
  std::string torn = MakeLog({"first", std::string(700, 's'), "third"});
  torn.resize(torn.size() - 200, '\0');
  return {MakeLog({}), MakeLog({"one"}),
          MakeLog({"first", std::string(100, 'm'), "", std::string(900, 'n'), "last"}), torn};
}

}  // namespace

const FuzzTarget kLogTarget = {.name = "log",
                               .run = Run,
                               .make_seeds = MakeSeeds,
                               .reseal = ResealLog,
                               .allocation_factor = 8};

}  // namespace siltstone::fuzz

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "siltstone/db.h"

#include "tests/support/fault_file_system.h"
#include "tests/support/recorded_workload.h"
#include "tests/support/test_seed.h"

// Call n on the file system fails, for every n: nothing acknowledged is lost, nothing wrong is read, writes are
// refused with the cause until Resume, and the database opens again.

namespace siltstone {
namespace {

constexpr int kOperations = 150;

struct FaultRun {
  std::shared_ptr<FaultFileSystem> file_system =
      std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = RecordedWorkload::SmallOptions(file_system);
  RecordedWorkload workload;

  explicit FaultRun(uint64_t seed) : workload(seed) {}
};

void ExpectState(DB& db, const RecordedWorkload& workload, const std::string& when) {
  absl::StatusOr<RecordedWorkload::State> state = ReadAll(db);
  // The one fault may meet this very read; it says so, and the next read finds all.
  if (!state.ok()) state = ReadAll(db);
  ASSERT_TRUE(state.ok()) << when << ": " << state.status();
  uint64_t operations = 0;
  EXPECT_TRUE(workload.IsPrefix(*state, workload.acknowledged(), &operations)) << when;
}

uint64_t OperationsOfAFullRun(uint64_t seed) {
  FaultRun run(seed);
  auto db = DB::Open(run.options, "/db");
  EXPECT_TRUE(db.ok()) << db.status();
  EXPECT_EQ(run.workload.Run(**db, kOperations, true), absl::OkStatus());
  EXPECT_EQ((*db)->Close(), absl::OkStatus());
  return run.file_system->operation_count();
}

void FailOnce(uint64_t seed, uint64_t nth, const Fault& kind) {
  const std::string when = "call " + std::to_string(nth);
  FaultRun run(seed);
  Fault fault = kind;
  fault.nth = nth;
  run.file_system->Inject(fault);
  auto db = DB::Open(run.options, "/db");
  if (db.ok()) {
    const absl::Status status = run.workload.Run(**db, kOperations, true);
    // Otherwise no read can succeed.
    if (kind.from_then_on) run.file_system->ClearFaults();
    ExpectState(**db, run.workload, when + ", after the fault");
    if (!status.ok()) {
      // A lack of space may have gone, and the next write finds out.
      if (!absl::IsResourceExhausted(status)) {
        EXPECT_NE((*db)->Put("x", "y"), absl::OkStatus()) << when << ": writes must be refused";
      }
      EXPECT_NE(std::string(status.message()).find(std::string(kind.status.message())),
                std::string::npos)
          << when << ": " << status;
    }
    run.file_system->ClearFaults();
    EXPECT_EQ((*db)->Resume(), absl::OkStatus()) << when;
    ExpectState(**db, run.workload, when + ", after Resume");
    run.workload.ResumeAt(*ReadAll(**db));
    if (!run.workload.Run(**db, 20, true).ok()) {
      // A job that met the fault told of it only now.
      EXPECT_EQ((*db)->Resume(), absl::OkStatus()) << when;
      run.workload.ResumeAt(*ReadAll(**db));
      EXPECT_EQ(run.workload.Run(**db, 20, true), absl::OkStatus()) << when;
    }
    const absl::Status closed = (*db)->Close();
    EXPECT_TRUE(closed.ok() || (kind.from_then_on && closed.code() == kind.status.code()))
        << when << ": " << closed;
    db->reset();
  }
  run.file_system->ClearFaults();
  db = DB::Open(run.options, "/db");
  ASSERT_TRUE(db.ok()) << when << ": " << db.status();
  ExpectState(**db, run.workload, when + ", reopened");
  EXPECT_EQ((*db)->VerifyChecksums(), absl::OkStatus()) << when;
}

void FailEach(const Fault& kind) {
  const uint64_t seed = TestSeed();
  const uint64_t calls = OperationsOfAFullRun(seed);
  ASSERT_GT(calls, 200u);
  for (uint64_t nth = 1; nth <= calls && !testing::Test::HasFailure(); ++nth) {
    FailOnce(seed, nth, kind);
  }
}

TEST(DbFault, EachCallFailsOnce) { FailEach({}); }

TEST(DbFault, EachCallHasNoSpaceAndHalfAnAppendIsWritten) {
  FailEach({.effect = Fault::Effect::kHalf,
            .status = absl::ResourceExhaustedError("injected: no space")});
}

TEST(DbFault, EachCallAndAllBehindItFail) { FailEach({.from_then_on = true}); }

TEST(DbFault, FromEachCallOnThereAreNoDescriptors) {
  FailEach({.from_then_on = true,
            .status = absl::ResourceExhaustedError("injected: too many open files")});
}

// A write that is taken within a number of tries, a few of which may come too early.
template <typename Write>
void ExpectTakenSoon(Write write, const std::string& when) {
  absl::Status status = write();
  for (int tries = 0; tries < 200 && !status.ok(); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = write();
  }
  EXPECT_EQ(status, absl::OkStatus()) << when;
}

// Half a write, then no space, then space again: no call of Resume.
TEST(DbFault, SpaceThatIsBackIsNoticedByTheEngine) {
  const uint64_t seed = TestSeed();
  const uint64_t calls = OperationsOfAFullRun(seed);
  for (uint64_t nth = 1; nth <= calls && !testing::Test::HasFailure(); ++nth) {
    const std::string when = "call " + std::to_string(nth);
    FaultRun run(seed);
    run.file_system->Inject({.nth = nth,
                             .from_then_on = true,
                             .effect = Fault::Effect::kHalf,
                             .status = absl::ResourceExhaustedError("injected: no space")});
    auto db = DB::Open(run.options, "/db");
    if (!db.ok()) continue;
    if (run.workload.Run(**db, kOperations, true).ok()) continue;
    run.file_system->ClearFaults();
    ExpectState(**db, run.workload, when + ", after the fault");
    ExpectTakenSoon([&] { return (*db)->Put("space", "again"); }, when);
    ExpectTakenSoon([&] { return (*db)->Delete("space"); }, when);
    ExpectState(**db, run.workload, when + ", with space again");
    // A job that met the fault may tell of it only now.
    const absl::Status closed = (*db)->Close();
    EXPECT_TRUE(closed.ok() || absl::IsResourceExhausted(closed)) << when << ": " << closed;
    db = DB::Open(run.options, "/db");
    ASSERT_TRUE(db.ok()) << when << ": " << db.status();
    ExpectState(**db, run.workload, when + ", reopened");
  }
}

// A recovery that fails at call n, whatever n, loses nothing, and the next one succeeds.
TEST(DbFault, EachCallOfARecoveryFails) {
  const uint64_t seed = TestSeed();
  for (const Fault::Effect effect : {Fault::Effect::kNone, Fault::Effect::kHalf}) {
    for (uint64_t nth = 1; !testing::Test::HasFailure(); ++nth) {
      const std::string when = "call " + std::to_string(nth);
      FaultRun run(seed);
      auto db = DB::Open(run.options, "/db");
      ASSERT_TRUE(db.ok()) << db.status();
      ASSERT_EQ(run.workload.Run(**db, 55, true), absl::OkStatus());
      db->reset();
      run.file_system->Inject({.nth = nth, .from_then_on = true, .effect = effect});
      const bool opened = DB::Open(run.options, "/db").ok();
      const bool met = run.file_system->fault_count() > 0;
      run.file_system->ClearFaults();
      db = DB::Open(run.options, "/db");
      ASSERT_TRUE(db.ok()) << when << ": " << db.status();
      ExpectState(**db, run.workload, when);
      if (opened && !met) {
        EXPECT_GT(nth, 20u);
        break;
      }
    }
  }
}

TEST(DbFault, EachCallIsDoneAndReportedAsFailed) { FailEach({.effect = Fault::Effect::kDone}); }

TEST(DbFault, ReadsGoOnWhileWritesAreRefused) {
  FaultRun run(TestSeed());
  auto db = DB::Open(run.options, "/db");
  ASSERT_TRUE(db.ok());
  ASSERT_EQ((*db)->Put("a", "1"), absl::OkStatus());
  run.file_system->Inject({.operation = FileOperation::kSyncLog});
  EXPECT_TRUE(absl::IsUnavailable((*db)->Put("b", "2")));
  const uint64_t syncs = run.file_system->operation_count(FileOperation::kSyncLog);
  const absl::Status refused = (*db)->Put("c", "3");
  EXPECT_TRUE(absl::IsUnavailable(refused));
  EXPECT_NE(std::string(refused.message()).find("injected"), std::string::npos);
  EXPECT_EQ(run.file_system->operation_count(FileOperation::kSyncLog), syncs)
      << "a failed sync is never tried again";
  EXPECT_TRUE((*db)->Get("a")->has_value());
  EXPECT_FALSE((*db)->Get("b")->has_value());
  EXPECT_NE((*db)->GetProperty("siltstone.background-error"), "");
}

}  // namespace
}  // namespace siltstone

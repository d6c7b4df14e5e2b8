#include "tests/crash/power_cut_runner.h"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "siltstone/db.h"

#include "base/mutex.h"
#include "base/random.h"
#include "tests/support/crash_file_system.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/recorded_workload.h"

namespace siltstone {
namespace {

constexpr int kOperations = 120;
// Of the calls of a history, and of a recovery, one in so many is a cut.
constexpr uint64_t kCallsPerCut = 3;
constexpr uint64_t kCallsPerCutInRecovery = 20;

// What a cut left, and what must be there.
struct CutImage {
  std::shared_ptr<CrashFileSystem> disk;
  uint64_t acknowledged = 0;
  std::string when;
};

// A disk whose power may go before any call; each cut is an image, the disk itself goes on. Thread-safe.
class CutDisk {
 public:
  CutDisk(std::shared_ptr<CrashFileSystem> disk, uint64_t calls_per_cut, uint64_t seed,
          std::string when)
      : calls_per_cut_(calls_per_cut),
        disk_(std::move(disk)),
        counting_(std::make_shared<FaultFileSystem>(disk_)),
        when_(std::move(when)),
        random_(seed) {
    counting_->SetHook([this](FileOperation, std::string_view) { MayCut(); });
  }
  ~CutDisk() { counting_->SetHook(nullptr); }

  const std::shared_ptr<FaultFileSystem>& file_system() const { return counting_; }
  void SetAcknowledged(uint64_t count) { acknowledged_.store(count, std::memory_order_release); }

  std::vector<CutImage> TakeImages() {
    MutexLock lock(mutex_);
    return std::exchange(images_, {});
  }

 private:
  void MayCut() {
    MutexLock lock(mutex_);
    const uint64_t call = ++calls_;
    if (!random_.OneIn(calls_per_cut_)) return;
    const auto mode = kAllPowerCutModes[cuts_++ % 4];
    // Read before the image is taken: what is acknowledged by then is in it.
    const uint64_t acknowledged = acknowledged_.load(std::memory_order_acquire);
    images_.push_back({disk_->ImageAfterPowerCut(mode, random_.Next()), acknowledged,
                       when_ + "call " + std::to_string(call) + " in mode " +
                           std::to_string(static_cast<int>(mode))});
  }

  const uint64_t calls_per_cut_;
  const std::shared_ptr<CrashFileSystem> disk_;
  const std::shared_ptr<FaultFileSystem> counting_;
  const std::string when_;
  std::atomic<uint64_t> acknowledged_{0};
  Mutex mutex_;
  Random random_ ABSL_GUARDED_BY(mutex_);
  uint64_t calls_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t cuts_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<CutImage> images_ ABSL_GUARDED_BY(mutex_);
};

// Single-threaded.
class PowerCuts {
 public:
  PowerCuts(uint64_t seed, bool sync, uint64_t cuts) : seed_(seed), sync_(sync), wanted_(cuts) {}

  PowerCutReport Run() {
    while (!Done()) RunHistory(seed_ + report_.histories++);
    return report_;
  }

 private:
  bool Done() const { return report_.cuts >= wanted_ || !report_.failure.empty(); }
  void Fail(const std::string& what) {
    if (report_.failure.empty()) report_.failure = what;
  }

  void RunHistory(uint64_t seed) {
    RecordedWorkload workload(seed);
    CutDisk disk(std::make_shared<CrashFileSystem>(), kCallsPerCut, seed,
                 "history " + std::to_string(seed) + ", ");
    auto db = DB::Open(RecordedWorkload::SmallOptions(disk.file_system()), "/db");
    if (!db.ok()) return Fail(std::string(db.status().ToString()));
    for (int i = 0; i < kOperations && !Done(); ++i) {
      const absl::Status status = workload.Run(**db, 1, sync_);
      if (!status.ok()) return Fail(std::string(status.ToString()));
      if (sync_) disk.SetAcknowledged(workload.acknowledged());
      for (const CutImage& image : disk.TakeImages()) CheckCut(workload, image, seed + i);
    }
    if (const absl::Status closed = (*db)->Close(); !closed.ok()) {
      Fail(std::string(closed.ToString()));
    }
    for (const CutImage& image : disk.TakeImages()) CheckCut(workload, image, seed);
    report_.operations += workload.acknowledged();
  }

  // Recovers from the cut, and from cuts of that recovery.
  void CheckCut(const RecordedWorkload& workload, const CutImage& image, uint64_t seed) {
    if (Done()) return;
    CutDisk disk(image.disk, kCallsPerCutInRecovery, seed, image.when + ", then in the recovery ");
    disk.SetAcknowledged(image.acknowledged);
    CheckOpen(workload, image, disk.file_system());
    for (const CutImage& again : disk.TakeImages()) {
      if (Done()) return;
      CheckOpen(workload, again, again.disk);
      ++report_.cuts_in_recovery;
    }
  }

  void CheckOpen(const RecordedWorkload& workload, const CutImage& image,
                 std::shared_ptr<FileSystem> file_system) {
    ++report_.cuts;
    auto db = DB::Open(RecordedWorkload::SmallOptions(std::move(file_system)), "/db");
    if (!db.ok()) return Fail(image.when + ": " + std::string(db.status().ToString()));
    const absl::StatusOr<RecordedWorkload::State> state = ReadAll(**db);
    if (!state.ok()) return Fail(image.when + ": " + std::string(state.status().ToString()));
    uint64_t operations = 0;
    if (!workload.IsPrefix(*state, image.acknowledged, &operations)) {
      Fail(image.when + ": what is there is not the work of the first " +
           std::to_string(image.acknowledged) + " operations or of some more");
    }
  }

  const uint64_t seed_;
  const bool sync_;
  const uint64_t wanted_;
  PowerCutReport report_;
};

}  // namespace

std::string PowerCutReport::ToString() const {
  return std::to_string(cuts) + " power cuts, " + std::to_string(cuts_in_recovery) +
         " of them of a recovery, over " + std::to_string(histories) + " histories of " +
         std::to_string(operations) + " operations";
}

PowerCutReport RunPowerCuts(uint64_t seed, bool sync, uint64_t cuts) {
  return PowerCuts(seed, sync, cuts).Run();
}

}  // namespace siltstone

#include "tests/crash/kill_runner.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/db.h"
#include "siltstone/event_listener.h"

#include "base/random.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temporary_directory.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

constexpr int kThreads = 2;
constexpr int kKeysPerThread = 400;

using Model = std::map<std::string, std::string>;

// One message of the child; short enough for the pipe to keep it whole.
struct Message {
  enum Kind : uint32_t { kAcknowledged, kJobBegan, kJobEnded, kFailed };
  uint32_t kind = kAcknowledged;
  uint32_t thread = 0;
  uint64_t operation = 0;
};

struct Change {
  bool is_delete = false;
  std::string key;
  std::string value;
};

std::string KeyName(int thread, uint64_t index) {
  return "t" + std::to_string(thread) + "-" + std::to_string(index);
}

// What operation number `operation` of a thread does: the same in parent and child.
std::vector<Change> ChangesOf(uint64_t seed, int thread, uint64_t operation) {
  Random random(seed + 1000003 * operation + static_cast<uint64_t>(thread));
  std::vector<Change> changes(1 + random.Uniform(6));
  for (Change& change : changes) {
    change.is_delete = random.OneIn(4);
    change.key = KeyName(thread, random.Uniform(kKeysPerThread));
    if (change.is_delete) continue;
    change.value = std::to_string(operation) + ":" +
                   std::string(random.Uniform(200), static_cast<char>('a' + operation % 26));
  }
  return changes;
}

void Apply(const std::vector<Change>& changes, Model* model) {
  for (const Change& change : changes) {
    if (change.is_delete) {
      model->erase(change.key);
    } else {
      (*model)[change.key] = change.value;
    }
  }
}

Options SmallOptions() {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size_bytes = 8 << 10;
  options.memory_budget_bytes = 256 << 10;
  options.block_size_bytes = 512;
  return options;
}

// --- the child ---

void Send(int pipe_fd, const Message& message) {
  if (write(pipe_fd, &message, sizeof(message)) != static_cast<ssize_t>(sizeof(message))) _exit(3);
}

class JobTeller final : public EventListener {
 public:
  explicit JobTeller(int pipe_fd) : pipe_fd_(pipe_fd) {}
  void OnFlushBegin(const JobInfo&) override { Send(pipe_fd_, {Message::kJobBegan, 0, 0}); }
  void OnFlushEnd(const JobInfo&) override { Send(pipe_fd_, {Message::kJobEnded, 0, 0}); }
  void OnCompactionBegin(const JobInfo&) override { Send(pipe_fd_, {Message::kJobBegan, 0, 0}); }
  void OnCompactionEnd(const JobInfo&) override { Send(pipe_fd_, {Message::kJobEnded, 0, 0}); }

 private:
  const int pipe_fd_;
};

[[noreturn]] void RunChild(const std::string& directory, uint64_t seed,
                           const std::array<uint64_t, kThreads>& next_operations, int pipe_fd) {
  Options options = SmallOptions();
  options.listener = std::make_shared<JobTeller>(pipe_fd);
  // Jobs take their time at every step, so that most kills find one in its middle.
  auto file_system = std::make_shared<FaultFileSystem>(PosixFileSystem());
  file_system->SetHook([](FileOperation operation, std::string_view) {
    if (operation == FileOperation::kCreateTable || operation == FileOperation::kAppendTable ||
        operation == FileOperation::kFinishTable || operation == FileOperation::kSyncDirectory) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  options.file_system = file_system;
  auto db = DB::Open(options, directory);
  if (!db.ok()) {
    Send(pipe_fd, {Message::kFailed, 0, 0});
    _exit(4);
  }
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      for (uint64_t operation = next_operations[thread];; ++operation) {
        WriteBatch batch;
        for (const Change& change : ChangesOf(seed, thread, operation)) {
          if (change.is_delete) {
            batch.Delete(change.key);
          } else {
            batch.Put(change.key, change.value);
          }
        }
        const Durability durability =
            operation % 2 == 0 ? Durability::kSync : Durability::kBuffered;
        if (!(*db)->Write(batch, {.durability = durability}).ok()) _exit(5);
        Send(pipe_fd, {Message::kAcknowledged, static_cast<uint32_t>(thread), operation});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(0);
}

// --- the parent ---

class Killer {
 public:
  Killer(std::string directory, uint64_t seed)
      : directory_(std::move(directory)), seed_(seed), random_(seed) {}

  KillReport Run(int rounds) {
    for (int round = 0; round < rounds && report_.failure.empty(); ++round) {
      Round();
      if (report_.failure.empty()) Check(round);
    }
    return report_;
  }

 private:
  void Fail(const std::string& what) {
    if (report_.failure.empty()) report_.failure = what;
  }

  void Round() {
    int fds[2];
    if (pipe(fds) != 0) return Fail("no pipe");
    const pid_t child = fork();
    if (child == 0) {
      close(fds[0]);
      RunChild(directory_, seed_, next_operations_, fds[1]);
    }
    close(fds[1]);
    jobs_running_ = 0;
    const bool in_job = !random_.OneIn(10);
    const uint64_t min_messages = 20 + random_.Uniform(400);
    uint64_t messages = 0;
    bool killed = false;
    Message message;
    while (read(fds[0], &message, sizeof(message)) == static_cast<ssize_t>(sizeof(message))) {
      Take(message);
      if (!killed && ++messages >= min_messages && (!in_job || jobs_running_ > 0)) {
        std::this_thread::sleep_for(std::chrono::microseconds(random_.Uniform(100)));
        kill(child, SIGKILL);
        killed = true;
      }
    }
    close(fds[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!killed) return Fail("the child ended by itself, with status " + std::to_string(status));
    ++report_.kills;
    if (jobs_running_ > 0) ++report_.kills_during_jobs;
  }

  void Take(const Message& message) {
    switch (message.kind) {
      case Message::kAcknowledged:
        Apply(ChangesOf(seed_, static_cast<int>(message.thread), message.operation),
              &models_[message.thread]);
        next_operations_[message.thread] = message.operation + 1;
        ++report_.acknowledged;
        break;
      case Message::kJobBegan:
        ++jobs_running_;
        break;
      case Message::kJobEnded:
        --jobs_running_;
        break;
      default:
        Fail("the child could not open the database");
    }
  }

  void Check(int round) {
    const std::string where = "round " + std::to_string(round) + ": ";
    auto db = DB::Open(SmallOptions(), directory_);
    if (!db.ok()) return Fail(where + std::string(db.status().message()));
    const std::array<Model, kThreads> found = ReadAll(**db, {}, where);
    CheckSnapshot(**db, found, where);
    for (int thread = 0; thread < kThreads; ++thread) {
      if (found[thread] == models_[thread]) continue;
      Model with_next = models_[thread];
      Apply(ChangesOf(seed_, thread, next_operations_[thread]), &with_next);
      if (found[thread] != with_next) {
        return Fail(where + "thread " + std::to_string(thread) + " before operation " +
                    std::to_string(next_operations_[thread]) +
                    ": neither all that was acknowledged nor that and the next batch");
      }
      models_[thread] = with_next;
      ++next_operations_[thread];
      ++report_.unacknowledged_kept;
    }
  }

  std::array<Model, kThreads> ReadAll(DB& db, const ReadOptions& options,
                                      const std::string& where) {
    std::array<Model, kThreads> found;
    auto iterator = db.NewIterator(options);
    for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
      const size_t thread = iterator->key().at(1) == '0' ? 0 : 1;
      found[thread][std::string(iterator->key())] = std::string(iterator->value());
    }
    if (!iterator->status().ok()) Fail(where + std::string(iterator->status().message()));
    return found;
  }

  // A snapshot of what was recovered does not change when it is written over and flushed.
  void CheckSnapshot(DB& db, const std::array<Model, kThreads>& found, const std::string& where) {
    const Snapshot snapshot = db.GetSnapshot();
    WriteBatch over, back;
    for (const Model& model : found) {
      for (const auto& [key, value] : model) {
        random_.OneIn(2) ? over.Delete(key) : over.Put(key, "other");
        back.Put(key, value);
      }
    }
    absl::Status status = db.Write(over);
    if (status.ok()) status = db.Flush();
    if (!status.ok()) return Fail(where + std::string(status.message()));
    if (ReadAll(db, {.snapshot = &snapshot}, where) != found) {
      Fail(where + "a snapshot changed");
    }
    status = db.Write(back);
    if (!status.ok()) Fail(where + std::string(status.message()));
  }

  const std::string directory_;
  const uint64_t seed_;
  Random random_;
  std::array<Model, kThreads> models_;
  std::array<uint64_t, kThreads> next_operations_{};
  int jobs_running_ = 0;
  KillReport report_;
};

}  // namespace

KillReport RunKills(const std::string& directory, uint64_t seed, int rounds) {
  return Killer(directory, seed).Run(rounds);
}

void ExpectKillsLoseNothing(int rounds) {
  const uint64_t seed = TestSeed();
  const TemporaryDirectory directory;
  const KillReport report = RunKills(directory.path(), seed, rounds);
  std::cout << report.kills << " kills, " << report.kills_during_jobs << " during a job, "
            << report.acknowledged << " operations acknowledged, " << report.unacknowledged_kept
            << " more kept\n";
  EXPECT_EQ(report.failure, "") << "seed " << seed;
  EXPECT_EQ(report.kills, rounds);
  EXPECT_GE(report.kills_during_jobs, report.kills / 2);
}

}  // namespace siltstone

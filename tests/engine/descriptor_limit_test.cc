#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/engine/test_database.h"
#include "tests/support/temporary_directory.h"

// A process that may open only a few files: the database works until a table is one too many, says so, and nothing
// acknowledged is lost.

namespace siltstone {
namespace {

constexpr uint64_t kWrites = 4000;

Options SmallTables() {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size_bytes = size_t{4} << 10;
  options.memory_budget_bytes = size_t{64} << 10;
  options.durability = Durability::kBuffered;
  return options;
}

std::string ValueOf(uint64_t number) { return NoiseBytes(number, 200); }

// Writes until it is refused, tells the number of acknowledged writes, and whether the refusal was a clear one.
[[noreturn]] void WriteWithFewDescriptors(const std::string& path, int pipe_fd) {
  const rlimit limit = {32, 32};
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(1);
  auto db = DB::Open(SmallTables(), path);
  if (!db.ok()) _exit(2);
  uint64_t acknowledged = 0;
  absl::Status status;
  while (acknowledged < kWrites) {
    status = (*db)->Put(NumberKey(acknowledged * 7919 % kWrites), ValueOf(acknowledged));
    if (!status.ok()) break;
    ++acknowledged;
  }
  if (!status.ok() && !absl::IsResourceExhausted(status)) _exit(3);
  // Reads go on.
  if (acknowledged > 0 && !(*db)->Get(NumberKey(0)).ok()) _exit(4);
  if (write(pipe_fd, &acknowledged, sizeof(acknowledged)) != sizeof(acknowledged)) _exit(5);
  _exit(0);
}

TEST(DescriptorLimit, OfThirtyTwoLosesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.File("db");
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  const pid_t child = fork();
  if (child == 0) WriteWithFewDescriptors(path, fds[1]);
  close(fds[1]);
  uint64_t acknowledged = 0;
  EXPECT_EQ(read(fds[0], &acknowledged, sizeof(acknowledged)),
            static_cast<ssize_t>(sizeof(acknowledged)));
  close(fds[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  ASSERT_EQ(WEXITSTATUS(status), 0);
  EXPECT_GT(acknowledged, 100u);
  auto db = DB::Open(SmallTables(), path);
  ASSERT_TRUE(db.ok()) << db.status();
  for (uint64_t number = 0; number < acknowledged; ++number) {
    ASSERT_EQ(TestDatabase::GetFrom(**db, NumberKey(number * 7919 % kWrites)), ValueOf(number));
  }
}

}  // namespace
}  // namespace siltstone

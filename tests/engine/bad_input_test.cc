#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/test_database.h"
#include "tests/support/fault_file_system.h"
#include "tests/support/temporary_directory.h"

// What people do to a database by mistake, on the machine's own file system: each is refused with an error that says
// what and where, changes no byte, and costs nothing once it is put right.

namespace siltstone {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Options DiskOptions() {
  Options options = SmallOptions();
  options.file_system = nullptr;
  return options;
}
Options ExistingOptions() {
  Options options = DiskOptions();
  options.create_if_missing = false;
  return options;
}

// Root may do anything: what permissions mean is seen by an effective user without rights. Process-wide.
class UserWithoutRights {
 public:
  UserWithoutRights() : was_(geteuid()) { EXPECT_EQ(was_ == 0 ? seteuid(65534) : 0, 0); }
  ~UserWithoutRights() { EXPECT_EQ(was_ == 0 ? seteuid(was_) : 0, 0); }
  UserWithoutRights(const UserWithoutRights&) = delete;
  UserWithoutRights& operator=(const UserWithoutRights&) = delete;

 private:
  uid_t was_;
};

std::string ReadWhole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void WriteWhole(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

// A closed database with a table on a deeper level, one on level 0, and a log that holds the newest entry.
class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    chmod(folder_.path().c_str(), 0755);
    TestDatabase db(DiskOptions(), path_);
    for (uint64_t i = 0; i < 500; ++i) db.Put(NumberKey(i), NoiseBytes(i, 20));
    db.CompactAll();
    db.Put("flushed", "1");
    db.Flush();
    db.Put("logged", "2");
    db.Close();
  }

  void ExpectEverythingThere() {
    TestDatabase db(ExistingOptions(), path_);
    EXPECT_EQ(db.Get(NumberKey(7)), NoiseBytes(7, 20));
    EXPECT_EQ(db.Get("flushed"), "1");
    EXPECT_EQ(db.Get("logged"), "2");
    EXPECT_EQ(db->VerifyChecksums(), absl::OkStatus());
  }

  // The newest file of the database whose name holds `part`.
  std::string FileWith(const std::string& part) const {
    std::string found;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      const std::string name = entry.path().filename();
      if (name.find(part) != std::string::npos) found = std::max(found, name);
    }
    EXPECT_NE(found, "") << part;
    return found;
  }

  // Opening for writing and for reading is refused, naming the damaged file, and no byte changes.
  void ExpectRefused(const std::string& name) {
    FileSystem& files = *PosixFileSystem();
    const auto before = AllFiles(files, path_);
    Options options = ExistingOptions();
    for (const bool read_only : {false, true}) {
      options.read_only = read_only;
      const absl::Status status = DB::Open(options, path_).status();
      EXPECT_TRUE(absl::IsDataLoss(status)) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(name));
    }
    EXPECT_EQ(AllFiles(files, path_), before);
  }

  // Changes a file, sees that this is refused, and that all is well when the file is as it was.
  void ExpectDamageIsRefused(const std::string& name,
                             const std::function<std::string(std::string)>& damage) {
    const std::string path = path_ + "/" + name;
    const std::string whole = ReadWhole(path);
    WriteWhole(path, damage(whole));
    ExpectRefused(name);
    WriteWhole(path, whole);
  }

  const TemporaryDirectory folder_;
  const std::string path_ = folder_.path() + "/db";
};

TEST_F(BadInput, ADirectoryWithoutADatabase) {
  const std::string other = folder_.path() + "/photos";
  std::filesystem::create_directory(other);
  WriteWhole(other + "/holiday.jpg", "not a database");
  const absl::Status status = DB::Open(ExistingOptions(), other).status();
  EXPECT_TRUE(absl::IsNotFound(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr(other), HasSubstr("create_if_missing")));
  EXPECT_EQ(FilesOf(*PosixFileSystem(), other).size(), 1u);
}

TEST_F(BadInput, AFileInItsPlace) {
  const std::string file = folder_.path() + "/file";
  WriteWhole(file, "not a folder");
  for (const bool create : {false, true}) {
    Options options = DiskOptions();
    options.create_if_missing = create;
    const absl::Status status = DB::Open(options, file).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(file));
  }
  EXPECT_EQ(ReadWhole(file), "not a folder");
}

TEST_F(BadInput, NoPermissionToRead) {
  ASSERT_EQ(chmod(path_.c_str(), geteuid() == 0 ? 0700 : 0), 0);
  {
    const UserWithoutRights user;
    for (const bool read_only : {false, true}) {
      Options options = ExistingOptions();
      options.read_only = read_only;
      const absl::Status status = DB::Open(options, path_).status();
      EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    }
  }
  ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  ExpectEverythingThere();
}

TEST_F(BadInput, ADirectoryThatMayOnlyBeRead) {
  const auto before = AllFiles(*PosixFileSystem(), path_);
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    ASSERT_EQ(chmod(entry.path().c_str(), 0444), 0);
  }
  ASSERT_EQ(chmod(path_.c_str(), 0555), 0);
  {
    const UserWithoutRights user;
    const absl::Status status = DB::Open(ExistingOptions(), path_).status();
    EXPECT_TRUE(absl::IsPermissionDenied(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(path_));
    Options options = ExistingOptions();
    options.read_only = true;
    TestDatabase reader(options, path_);
    EXPECT_EQ(reader.Get("logged"), "2");
    EXPECT_EQ(reader.Get("flushed"), "1");
    EXPECT_EQ(reader.Get(NumberKey(3)), NoiseBytes(3, 20));
  }
  EXPECT_EQ(AllFiles(*PosixFileSystem(), path_), before);
  ASSERT_EQ(chmod(path_.c_str(), 0755), 0);
  for (const auto& entry : std::filesystem::directory_iterator(path_)) {
    ASSERT_EQ(chmod(entry.path().c_str(), 0644), 0);
  }
  ExpectEverythingThere();
}

TEST_F(BadInput, ATruncatedFile) {
  for (const char* part : {".sst", "MANIFEST", "CURRENT"}) {
    const std::string name = FileWith(part);
    for (const double share : {0.0, 0.1, 0.5, 0.9}) {
      ExpectDamageIsRefused(name, [share](const std::string& whole) {
        return whole.substr(0, static_cast<size_t>(static_cast<double>(whole.size()) * share));
      });
    }
    ExpectDamageIsRefused(
        name, [](const std::string& whole) { return whole.substr(0, whole.size() - 1); });
  }
  const std::string log = FileWith(".log");
  ExpectDamageIsRefused(log, [](const std::string& whole) { return whole.substr(0, 60); });
  ExpectDamageIsRefused(log, [](const std::string&) { return std::string(); });
  ExpectEverythingThere();
}

TEST_F(BadInput, AWrongMagicNumber) {
  const auto first_bytes = [](std::string whole) { return whole.replace(0, 8, "PK\3\4abcd"); };
  const auto last_bytes = [](std::string whole) {
    return whole.replace(whole.size() - 8, 8, "PK\3\4abcd");
  };
  ExpectDamageIsRefused(FileWith(".sst"), last_bytes);
  ExpectDamageIsRefused(FileWith("MANIFEST"), first_bytes);
  ExpectDamageIsRefused(FileWith(".log"), first_bytes);
  ExpectDamageIsRefused(FileWith("CURRENT"), first_bytes);
  ExpectEverythingThere();
}

TEST_F(BadInput, AMissingFile) {
  for (const char* part : {".sst", "MANIFEST", ".log"}) {
    const std::string name = FileWith(part);
    const std::string whole = ReadWhole(path_ + "/" + name);
    std::filesystem::remove(path_ + "/" + name);
    ExpectRefused(name);
    WriteWhole(path_ + "/" + name, whole);
  }
  ExpectEverythingThere();
}

// Space that ends in the middle of the work: the write that meets it says so, and what was acknowledged stays.
TEST_F(BadInput, AFullDisk) {
  const auto disk = std::make_shared<FaultFileSystem>(NewMemoryFileSystem());
  Options options = SmallOptions();
  options.file_system = disk;
  TestDatabase db(options);
  for (const FileOperation operation :
       {FileOperation::kAppendTable, FileOperation::kAppendLog, FileOperation::kAllocateLog}) {
    disk->Inject({.operation = operation,
                  .nth = operation == FileOperation::kAppendLog ? 2000u : 40u,
                  .from_then_on = true,
                  .effect = Fault::Effect::kHalf,
                  .status = absl::ResourceExhaustedError("no space left on device")});
  }
  uint64_t acknowledged = 0;
  absl::Status status;
  while (acknowledged < 100'000) {
    status = db->Put(NumberKey(acknowledged), NoiseBytes(acknowledged, 100));
    if (!status.ok()) break;
    ++acknowledged;
  }
  ASSERT_TRUE(absl::IsResourceExhausted(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("no space"));
  const auto expect_all = [&] {
    for (uint64_t i = 0; i < acknowledged; ++i) {
      ASSERT_EQ(db.Get(NumberKey(i)), NoiseBytes(i, 100)) << i;
    }
  };
  expect_all();
  db.Destroy();
  disk->ClearFaults();
  db.Open();
  expect_all();
}

}  // namespace
}  // namespace siltstone

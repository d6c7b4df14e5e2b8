#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "siltstone/db.h"
#include "siltstone/file_system.h"

// What tests of the whole engine share: databases that open and close, keys, results as plain values.

namespace siltstone {

// Options of a small database in memory: flushes and compactions come soon, syncs cost nothing.
inline Options SmallOptions() {
  Options options;
  options.create_if_missing = true;
  options.memory_budget_bytes = size_t{1} << 20;
  options.write_buffer_size_bytes = size_t{64} << 10;
  options.block_size_bytes = 1024;
  options.file_system = NewMemoryFileSystem();
  return options;
}

// A database at "/db" of the file system of its options (SmallOptions: of its own). Single-threaded, but for use of
// the DB itself.
class TestDatabase {
 public:
  explicit TestDatabase(Options options = SmallOptions(), std::string path = "/db")
      : options_(std::move(options)), path_(std::move(path)) {
    Open();
  }

  // Closes, if open, and opens again.
  void Reopen() {
    Close();
    Open();
  }
  void Reopen(const Options& options) {
    Close();
    options_ = options;
    Open();
  }
  void Close() {
    if (db_ == nullptr) return;
    EXPECT_EQ(db_->Close(), absl::OkStatus());
    db_.reset();
  }
  // Without Close.
  void Destroy() { db_.reset(); }
  void Open() {
    absl::StatusOr<std::unique_ptr<DB>> db = DB::Open(options_, path_);
    ASSERT_TRUE(db.ok()) << db.status();
    db_ = *std::move(db);
  }

  DB* operator->() const { return db_.get(); }
  DB& operator*() const { return *db_; }
  Options& options() { return options_; }
  const std::string& path() const { return path_; }

  void Put(std::string_view key, std::string_view value) {
    EXPECT_EQ(db_->Put(key, value), absl::OkStatus());
  }
  void Delete(std::string_view key) { EXPECT_EQ(db_->Delete(key), absl::OkStatus()); }
  void Flush() { EXPECT_EQ(db_->Flush(), absl::OkStatus()); }
  void CompactAll() { EXPECT_EQ(db_->CompactRange(), absl::OkStatus()); }
  // The value; "(absent)" where there is none, the error where there is one.
  std::string Get(std::string_view key, const ReadOptions& read = {}) const {
    return GetFrom(*db_, key, read);
  }
  static std::string GetFrom(DB& db, std::string_view key, const ReadOptions& read = {}) {
    return Text(db.Get(key, read));
  }
  static std::string Text(const DB::GetResult& result) {
    if (!result.ok()) return std::string(result.status().ToString());
    return result->has_value() ? (*result)->ToString() : "(absent)";
  }
  // All entries in order, as "key=value key=value".
  std::string Scan(const ReadOptions& read = {}) const {
    const std::unique_ptr<Iterator> it = db_->NewIterator(read);
    std::string text;
    for (it->SeekToFirst(); it->Valid(); it->Next()) Append(*it, &text);
    EXPECT_EQ(it->status(), absl::OkStatus());
    return text;
  }
  std::string ReverseScan(const ReadOptions& read = {}) const {
    const std::unique_ptr<Iterator> it = db_->NewIterator(read);
    std::string text;
    for (it->SeekToLast(); it->Valid(); it->Prev()) Append(*it, &text);
    EXPECT_EQ(it->status(), absl::OkStatus());
    return text;
  }

 private:
  static void Append(const Iterator& it, std::string* text) {
    if (!text->empty()) text->push_back(' ');
    text->append(it.key()).append("=").append(it.value());
  }

  Options options_;
  std::string path_;
  std::unique_ptr<DB> db_;
};

// The entries of a folder.
inline std::vector<DirectoryEntry> FilesOf(FileSystem& files, std::string_view folder) {
  absl::StatusOr<std::vector<DirectoryEntry>> entries = files.ListDirectory(folder);
  EXPECT_TRUE(entries.ok()) << entries.status();
  return entries.ok() ? *std::move(entries) : std::vector<DirectoryEntry>();
}

// Every file of a folder, with its bytes.
inline std::map<std::string, std::string> AllFiles(FileSystem& files, const std::string& folder) {
  std::map<std::string, std::string> contents;
  const auto entries = files.ListDirectory(folder);
  EXPECT_TRUE(entries.ok()) << entries.status();
  if (!entries.ok()) return contents;
  for (const DirectoryEntry& entry : *entries) {
    contents[entry.name] = files.ReadFile(folder + "/" + entry.name).value_or("(unreadable)");
  }
  return contents;
}

// "key0000000012": 13 bytes, byte order is number order.
inline std::string NumberKey(uint64_t number) {
  std::string digits = std::to_string(number);
  return "key" + std::string(10 - digits.size(), '0') + digits;
}

// Bytes that do not compress, the same for the same seed.
inline std::string NoiseBytes(uint64_t seed, size_t size_bytes) {
  std::string bytes(size_bytes, '\0');
  uint64_t state = seed * 2 + 1;
  for (char& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<char>(state >> 56);
  }
  return bytes;
}

// Byte order backwards: the empty key comes last.
class ReverseComparator final : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
  std::string_view name() const override { return "test.reverse"; }
};

// Shorter keys first, then byte order.
class LengthFirstComparator final : public Comparator {
 public:
  int Compare(std::string_view a, std::string_view b) const override {
    if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
    return a.compare(b);
  }
  std::string_view name() const override { return "test.length-first"; }
};

}  // namespace siltstone

#include "siltstone/write_batch.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace siltstone {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The entries as texts.
class Recorder : public WriteBatch::Handler {
 public:
  void Put(std::string_view key, std::string_view value) override {
    entries.push_back("put " + std::string(key) + "=" + std::string(value));
  }
  void Delete(std::string_view key) override { entries.push_back("delete " + std::string(key)); }
  std::vector<std::string> entries;
};

std::vector<std::string> EntriesOf(const WriteBatch& batch) {
  Recorder recorder;
  batch.Iterate(recorder);
  return recorder.entries;
}

TEST(WriteBatch, IsEmptyAtFirst) {
  const WriteBatch batch;
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.count(), 0u);
  EXPECT_EQ(batch.size_bytes(), 0u);
  EXPECT_THAT(EntriesOf(batch), IsEmpty());
}

TEST(WriteBatch, IteratesInTheOrderOfTheCalls) {
  WriteBatch batch;
  batch.Put("b", "1");
  batch.Delete("a");
  batch.Put("b", "2");
  batch.Put("", "");
  batch.Delete("");
  EXPECT_EQ(batch.count(), 5u);
  EXPECT_THAT(EntriesOf(batch), ElementsAre("put b=1", "delete a", "put b=2", "put =", "delete "));
}

TEST(WriteBatch, EntriesHaveTheBytesOfTheFormat) {
  WriteBatch batch;
  batch.Put("key", std::string(200, 'v'));
  batch.Delete("k");
  EXPECT_EQ(batch.entries(), std::string("\x01\x03key\xc8\x01") + std::string(200, 'v') +
                                 std::string("\x00\x01k", 3));
  EXPECT_EQ(batch.size_bytes(), batch.entries().size());
}

TEST(WriteBatch, KeepsAnyBytes) {
  const std::string key("\x00\xff\n", 3), value(100000, '\0');
  WriteBatch batch;
  batch.Put(key, value);
  EXPECT_THAT(EntriesOf(batch), ElementsAre("put " + key + "=" + value));
}

TEST(WriteBatch, ClearStartsAgain) {
  WriteBatch batch;
  batch.Put("a", "1");
  batch.Clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_EQ(batch.size_bytes(), 0u);
  batch.Delete("b");
  EXPECT_THAT(EntriesOf(batch), ElementsAre("delete b"));
}

TEST(WriteBatch, CopiesAreApart) {
  WriteBatch batch;
  batch.Put("a", "1");
  WriteBatch copy = batch;
  copy.Delete("a");
  EXPECT_THAT(EntriesOf(batch), ElementsAre("put a=1"));
  EXPECT_THAT(EntriesOf(copy), ElementsAre("put a=1", "delete a"));
}

}  // namespace
}  // namespace siltstone

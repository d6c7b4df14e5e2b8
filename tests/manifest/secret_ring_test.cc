#include "engine/manifest/secret_ring.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/coding.h"

namespace siltstone {
namespace {

SecretRing RingOf(int count) {
  SecretRing ring;
  for (int i = 0; i < count; ++i) ring.AddSecret();
  return ring;
}

// Encoded as the ring, with the checksum made right again.
std::string WithBytes(std::string encoded, size_t offset, uint32_t value) {
  StoreFixed32(encoded.data() + offset, value);
  encoded.resize(encoded.size() - 8);
  AppendFixed64(&encoded, Checksum64(encoded));
  return encoded;
}

TEST(SecretRing, TheNewestSecretIsCurrentAndOldOnesStay) {
  SecretRing ring;
  EXPECT_TRUE(ring.empty());
  std::set<uint32_t> ids;
  std::set<uint64_t> seeds;
  for (int i = 0; i < 50; ++i) {
    ring.AddSecret();
    EXPECT_NE(ring.current_id(), 0u);
    EXPECT_EQ(ring.Seed(ring.current_id()), ring.current_seed());
    ids.insert(ring.current_id());
    seeds.insert(ring.current_seed());
  }
  EXPECT_EQ(ids.size(), 50u);
  EXPECT_EQ(seeds.size(), 50u);
  for (const uint32_t id : ids) EXPECT_TRUE(ring.Seed(id).has_value());
  EXPECT_FALSE(ring.Seed(0).has_value());
}

TEST(SecretRing, RoundTrips) {
  for (const int count : {1, 2, 100}) {
    const SecretRing ring = RingOf(count);
    const std::string encoded = ring.Encode();
    EXPECT_EQ(encoded.size(), 32u + 12 * static_cast<size_t>(count));
    const auto decoded = SecretRing::Decode(encoded);
    ASSERT_TRUE(decoded.ok()) << decoded.status();
    EXPECT_EQ(*decoded, ring);
  }
}

TEST(SecretRing, EveryBitFlipAndTruncationIsDataLoss) {
  const std::string encoded = RingOf(3).Encode();
  for (size_t i = 0; i < encoded.size() * 8; ++i) {
    std::string damaged = encoded;
    damaged[i / 8] = static_cast<char>(damaged[i / 8] ^ 1 << i % 8);
    EXPECT_EQ(SecretRing::Decode(damaged).status().code(), absl::StatusCode::kDataLoss) << i;
  }
  for (size_t size = 0; size < encoded.size(); ++size) {
    EXPECT_FALSE(SecretRing::Decode(encoded.substr(0, size)).ok()) << size;
  }
}

TEST(SecretRing, RulesHoldUnderARightChecksum) {
  const std::string encoded = RingOf(2).Encode();
  EXPECT_TRUE(SecretRing::Decode(WithBytes(encoded, 8, 1)).ok());
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 8, 2)).ok()) << "version";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 12, 0)).ok()) << "count";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 12, 3)).ok()) << "count";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 12, 0xffffffff)).ok()) << "count";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 16, 0)).ok()) << "current id";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 20, 1)).ok()) << "reserved";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 24, 0)).ok()) << "id 0";
  EXPECT_FALSE(SecretRing::Decode(WithBytes(encoded, 24, 0xffffffff)).ok()) << "ids descend";
}

TEST(SecretRing, IsWrittenAndReadAndDamageNamesTheFile) {
  const std::shared_ptr<FileSystem> fs = NewMemoryFileSystem();
  EXPECT_EQ(ReadSecretRing(*fs, "/").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(WriteSecretRing(*fs, "/", SecretRing()).ok());
  const SecretRing ring = RingOf(2);
  ASSERT_TRUE(WriteSecretRing(*fs, "/", ring).ok());
  const auto read = ReadSecretRing(*fs, "/");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, ring);
  ASSERT_TRUE(fs->ReplaceFile("/SECRETS", ring.Encode() + "x").ok());
  const absl::Status status = ReadSecretRing(*fs, "/").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("in /SECRETS at offset 0"));
}

}  // namespace
}  // namespace siltstone

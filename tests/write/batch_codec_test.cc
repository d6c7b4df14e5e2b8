#include "engine/write/batch_codec.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "base/coding.h"
#include "base/random.h"

namespace siltstone {
namespace {

using Decoded = std::tuple<SequenceNumber, ValueType, std::string, std::string>;

absl::Status Decode(std::string_view payload, SequenceNumber first, std::vector<Decoded>* out) {
  return DecodeGroup(
      payload, first,
      [&](SequenceNumber sequence, ValueType type, std::string_view key, std::string_view value) {
        out->emplace_back(sequence, type, std::string(key), std::string(value));
      });
}

std::string SmallGroup() {
  WriteBatch first, empty, second;
  first.Put("k1", "v1");
  first.Delete("");
  second.Put("", "");
  second.Put("k1", std::string(200, 'v'));
  std::string payload;
  AppendBatch(&payload, first);
  AppendBatch(&payload, empty);
  AppendBatch(&payload, second);
  return payload;
}

std::string Group(uint32_t count, std::string_view entries) {
  std::string payload;
  AppendFixed32(&payload, count);
  AppendFixed32(&payload, static_cast<uint32_t>(entries.size()));
  payload.append(entries);
  return payload;
}

TEST(BatchCodec, EntriesComeBackWithConsecutiveNumbers) {
  std::vector<Decoded> decoded;
  ASSERT_TRUE(Decode(SmallGroup(), 7, &decoded).ok());
  const std::vector<Decoded> expected = {
      {7, ValueType::kValue, "k1", "v1"},
      {8, ValueType::kDeletion, "", ""},
      {9, ValueType::kValue, "", ""},
      {10, ValueType::kValue, "k1", std::string(200, 'v')},
  };
  EXPECT_EQ(decoded, expected);
}

TEST(BatchCodec, TheBytesAreThoseOfTheFormatDocument) {
  WriteBatch batch;
  batch.Put("k", "vv");
  batch.Delete("d");
  std::string payload;
  AppendBatch(&payload, batch);
  EXPECT_EQ(payload, std::string("\x02\0\0\0\x09\0\0\0"
                                 "\x01\x01k\x02vv"
                                 "\0\x01"
                                 "d",
                                 17));
}

TEST(BatchCodec, AnEmptyGroupHasNoEntries) {
  std::vector<Decoded> decoded;
  EXPECT_TRUE(Decode("", 1, &decoded).ok());
  EXPECT_TRUE(Decode(Group(0, ""), 1, &decoded).ok());
  EXPECT_TRUE(decoded.empty());
}

TEST(BatchCodec, MalformedBytesAreDataLossAndNothingIsApplied) {
  const std::string long_length = "\xff\xff\xff\xff\x7f";  // over 32 bits
  const std::vector<std::string> bad = {
      "x",
      Group(1, ""),
      Group(0, std::string("\0\0", 2)),
      Group(2, std::string("\0\0", 2)),
      Group(1, std::string("\2\0", 2)),
      Group(1, std::string("\0", 1)),
      Group(1, std::string("\0\1", 2)),
      Group(1, std::string("\1\0", 2)),
      Group(1, std::string("\1\0\1", 3)),
      Group(1, std::string("\0", 1) + long_length),
      Group(1, std::string("\1\0", 2) + long_length),
      Group(1, std::string("\0\x80\0", 3)),  // a zero of two bytes
      Group(1, std::string("\0\0", 2)).substr(0, 9),
      SmallGroup() + "x",
  };
  for (size_t i = 0; i < bad.size(); ++i) {
    for (const std::string& payload : {bad[i], SmallGroup() + bad[i]}) {
      std::vector<Decoded> decoded;
      const absl::Status status = Decode(payload, 1, &decoded);
      EXPECT_TRUE(absl::IsDataLoss(status)) << i << status;
      EXPECT_NE(status.message().find("at payload offset"), absl::string_view::npos) << status;
      EXPECT_TRUE(decoded.empty()) << i;
    }
  }
}

TEST(BatchCodec, EveryCutOfAGroupIsNoticedButBetweenBatches) {
  const std::string payload = SmallGroup();
  size_t whole = 0;
  for (size_t size = 0; size < payload.size(); ++size) {
    std::vector<Decoded> decoded;
    if (Decode(std::string_view(payload).substr(0, size), 1, &decoded).ok()) ++whole;
  }
  EXPECT_EQ(whole, 3u);
}

TEST(BatchCodec, SequenceNumbersDoNotOverflow) {
  std::vector<Decoded> decoded;
  EXPECT_TRUE(Decode(SmallGroup(), kMaxSequenceNumber - 3, &decoded).ok());
  decoded.clear();
  EXPECT_TRUE(absl::IsDataLoss(Decode(SmallGroup(), kMaxSequenceNumber - 2, &decoded)));
  EXPECT_TRUE(absl::IsDataLoss(Decode(SmallGroup(), UINT64_MAX, &decoded)));
  EXPECT_TRUE(decoded.empty());
}

TEST(BatchCodec, RandomBytesNeverReachBeyondThePayload) {
  const char* const given = std::getenv("SILTSTONE_TEST_SEED");
  const uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : RandomSeed();
  std::cout << "SILTSTONE_TEST_SEED=" << seed << std::endl;
  Random random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string payload = SmallGroup();
    for (uint64_t i = random.Between(1, 3); i > 0; --i) {
      payload[random.Uniform(payload.size())] = static_cast<char>(random.Next());
    }
    payload.resize(random.Between(0, payload.size()));
    const std::vector<char> exact(payload.begin(), payload.end());  // its end is the sanitizer's
    size_t bytes = 0;
    const absl::Status status =
        DecodeGroup({exact.data(), exact.size()}, 1,
                    [&](SequenceNumber, ValueType, std::string_view key, std::string_view value) {
                      bytes += key.size() + value.size();
                      for (const char c : key) bytes += c == 'k';
                    });
    ASSERT_TRUE(status.ok() || (absl::IsDataLoss(status) && bytes == 0));
  }
}

}  // namespace
}  // namespace siltstone

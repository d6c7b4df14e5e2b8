#include "tools/absent_keys.h"

#include <algorithm>
#include <random>

#include "base/status_macros.h"
#include "tools/interrupt.h"

namespace siltstone::tools {
namespace {

// The first eight bytes as a number that sorts as they do; missing bytes are zero.
uint64_t LeadingNumber(std::string_view bytes) {
  uint64_t number = 0;
  for (size_t i = 0; i < 8; ++i) {
    number = number << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  }
  return number;
}

void AppendNumber(uint64_t number, std::string* out) {
  for (int shift = 56; shift >= 0; shift -= 8) *out += static_cast<char>(number >> shift);
}

}  // namespace

std::string KeyBetween(std::string_view smallest, std::string_view largest, uint64_t place) {
  const auto mismatch =
      std::mismatch(smallest.begin(), smallest.end(), largest.begin(), largest.end());
  const auto common = static_cast<size_t>(mismatch.first - smallest.begin());
  const uint64_t low = LeadingNumber(smallest.substr(common));
  const uint64_t high = LeadingNumber(largest.substr(common));
  if (high <= low || high - low < 2) return "";
  // Neither end itself, so that the bytes behind it cannot carry the key past one.
  const uint64_t offset = 1 + place % (high - low - 1);
  std::string key(smallest.substr(0, common));
  AppendNumber(low + offset, &key);
  AppendNumber(place, &key);
  return key;
}

absl::Status LookUpAbsentKeys(DB& db, uint64_t count) {
  const Statistics statistics = db.GetStatistics();
  if (statistics.tables.empty()) return absl::OkStatus();
  std::mt19937_64 random(std::random_device{}());
  for (uint64_t i = 0; i < count; ++i) {
    SILTSTONE_RETURN_IF_ERROR(CheckInterrupt());
    const TableStatistics& table = statistics.tables[i % statistics.tables.size()];
    const std::string key = KeyBetween(table.smallest_key, table.largest_key, random());
    if (key.empty()) continue;
    const DB::GetResult value = db.Get(key);
    if (!value.ok()) return value.status();
  }
  return absl::OkStatus();
}

}  // namespace siltstone::tools

// Which SSTables may hold this key?
//
// Every SSTable carries a filter of its keys. A point read asks the filters first, and reads a
// block of a table only where the answer is "maybe". A receipt tells what one read cost; the
// statistics tell what all of them did.
//
// A program of your own that keeps sorted files can do the same with siltstone/filter.h alone.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <siltstone/db.h>

namespace {

constexpr int kRuns = 3;
constexpr int kKeys = 9'000;
constexpr double kChance = 0.01;

std::string Key(int number) {
  char text[32];
  std::snprintf(text, sizeof text, "sensor:%07d", number);
  return text;
}

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

// Even numbers are there. Neighbours go to different tables, so that every table's range holds
// every key and only the filters can tell.
void Fill(siltstone::DB& db) {
  for (int run = 0; run < kRuns; ++run) {
    siltstone::WriteBatch batch;
    for (int i = run; i < kKeys; i += kRuns) batch.Put(Key(2 * i), "21.5 C");
    OrStop(db.Write(batch));
    OrStop(db.Flush());
  }
}

void TellSteps(const std::string& key, const siltstone::ReadReceipt& receipt) {
  std::printf("Get(%s):\n", key.c_str());
  for (const siltstone::ReadStep& step : receipt.steps) {
    if (step.source != siltstone::ReadStep::Source::kTable) continue;
    const bool is_no = step.filter == siltstone::ReadStep::Filter::kNegative;
    std::printf("  %s: the filter says %s, %zu blocks looked into\n", step.name.c_str(),
                is_no ? "no" : "maybe", step.block_offsets.size());
  }
}

// Reads kKeys keys from `first` on, every second one; all must be there, or none.
bool ReadAll(siltstone::DB& db, int first, bool are_there) {
  siltstone::ReadReceipt sum;
  for (int i = 0; i < kKeys; ++i) {
    const siltstone::DB::GetResult value = db.Get(Key(first + 2 * i), {.receipt = &sum});
    OrStop(value.status());
    if (value->has_value() != are_there) return false;
  }
  const auto blocks = sum.data_blocks_from_cache + sum.data_blocks_from_file;
  std::printf(
      "%d %s keys: %llu filters asked, %llu said no, %llu false positives, %llu blocks looked "
      "into\n",
      kKeys, are_there ? "present" : "absent", static_cast<unsigned long long>(sum.filters_checked),
      static_cast<unsigned long long>(sum.filter_negatives),
      static_cast<unsigned long long>(sum.filter_false_positives),
      static_cast<unsigned long long>(blocks));
  // A look into a block is either for the key or for a false positive.
  return blocks <= sum.filter_false_positives + (are_there ? kKeys : 0);
}

}  // namespace

int main(int argc, char** argv) {
  const siltstone::Options options{.create_if_missing = true, .bloom_filter_fp_chance = kChance};
  auto db = siltstone::DB::Open(options, argc > 1 ? argv[1] : "read_path.db");
  OrStop(db.status());
  Fill(**db);

  const std::string oldest = Key(2 * 1500);  // a key of the run that was written first
  siltstone::ReadReceipt receipt;
  OrStop((*db)->Get(oldest, {.receipt = &receipt}).status());
  TellSteps(oldest, receipt);
  const bool right = ReadAll(**db, 0, true) && ReadAll(**db, 1, false);
  for (const siltstone::TableStatistics& table : (*db)->GetStatistics().tables) {
    std::printf(
        "%s: %.1f bits a key, false positives: configured %.2f %%, predicted %.2f %%\n",
        table.file_name.c_str(),
        8.0 * static_cast<double>(table.filter_bytes) / static_cast<double>(table.distinct_keys),
        100 * table.configured_fp_chance, 100 * table.predicted_fp_rate);
  }
  if (!right) std::printf("BROKEN: a wrong answer, or a block read for nothing\n");
  OrStop((*db)->Close());
  return right ? 0 : 1;
}

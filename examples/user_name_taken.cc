// "Is this user name taken?", asked with every letter that is typed.
//
// Most names that are tried are free, and a filter knows that for certain without a look-up. A
// "maybe" is looked up, because a wrong one must not reach the user. Nobody knows how many users
// will come, so the filter grows; its chance stays under the target for ever. It is kept in a file,
// so that the next start need not read all names.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <siltstone/db.h>
#include <siltstone/file_system.h>
#include <siltstone/filter.h>

namespace {

constexpr int kUsers = 20'000;
constexpr int kTried = 20'000;
constexpr double kChance = 0.01;

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

// Between two that register at the same time, PutIfAbsent decides; the filter only saves look-ups.
bool Register(siltstone::DB& db, siltstone::ScalableBloomFilter& names, const std::string& name) {
  const absl::StatusOr<bool> inserted = db.PutIfAbsent(name, "");
  OrStop(inserted.status());
  if (*inserted) OrStop(names.Add(name).status());
  return *inserted;
}

bool IsTaken(siltstone::DB& db, const siltstone::Filter& names, const std::string& name,
             int* look_ups) {
  if (!names.MayContain(name)) return false;
  ++*look_ups;
  const siltstone::DB::GetResult found = db.Get(name);
  OrStop(found.status());
  return found->has_value();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "user_name_taken.db";
  const siltstone::Options options{.create_if_missing = true,
                                   .durability = siltstone::Durability::kBuffered};
  auto db = siltstone::DB::Open(options, path);
  OrStop(db.status());
  // Room for a thousand at first: the twentieth part of those who come.
  auto names = siltstone::ScalableBloomFilter::Reserve(kChance, kUsers / 20);
  OrStop(names.status());

  int wrong = 0;
  for (int i = 0; i < kUsers; ++i)
    wrong += Register(**db, **names, "user" + std::to_string(i)) ? 0 : 1;
  wrong += Register(**db, **names, "user7") ? 1 : 0;
  OrStop((*names)->Write(*siltstone::PosixFileSystem(), path + "/names.filter"));

  // The next start.
  auto kept = siltstone::Filter::Read(*siltstone::PosixFileSystem(), path + "/names.filter");
  OrStop(kept.status());
  int look_ups = 0;
  for (int i = 0; i < kUsers; ++i)
    wrong += IsTaken(**db, **kept, "user" + std::to_string(i), &look_ups) ? 0 : 1;
  look_ups = 0;
  for (int i = 0; i < kTried; ++i)
    wrong += IsTaken(**db, **kept, "fresh" + std::to_string(i), &look_ups) ? 1 : 0;

  std::printf("%d users registered, room for %d at first: now %d sub-filters, %zu bytes\n", kUsers,
              kUsers / 20, (*names)->sub_filter_count(), (*names)->memory_bytes());
  std::printf("%d free names tried: %d look-ups (%.2f %%, target at most %.2f %%)\n", kTried,
              look_ups, 100.0 * look_ups / kTried, 100 * kChance);
  if (wrong != 0) std::printf("BROKEN: %d wrong answers reached a user\n", wrong);
  OrStop((*db)->Close());
  return wrong == 0 ? 0 : 1;
}

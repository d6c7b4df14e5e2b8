// One campaign: nobody is mailed twice and nobody is left out.
//
//   mail_campaign DATABASE [ADDRESSES]
//
// The table is the truth: who has been mailed. The filter is the fast path: "no" means certainly
// not yet, so that the address is recorded without a look. Without the table a false positive would
// leave somebody out. The run is broken off in the middle and begun again with the whole list: the
// filter, which was only in memory, is made again from the table.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>

#include <siltstone/db.h>
#include <siltstone/filter.h>

namespace {

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

// The list as it was delivered: every fourth line repeats an earlier one.
std::string Address(int line) {
  const int number = line % 4 == 3 ? line / 4 * 2 : line;
  return "reader" + std::to_string(number) + "@example.org";
}

class Campaign {
 public:
  // Goes on with what the table knows.
  Campaign(siltstone::DB& db, int lines) : db_(db) {
    auto filter = siltstone::BloomFilter::Create(
        {.capacity = static_cast<uint64_t>(lines), .fp_chance = 0.01});
    OrStop(filter.status());
    mailed_ = *std::move(filter);
    const std::unique_ptr<siltstone::Iterator> it = db_.NewIterator();
    for (it->SeekToFirst(); it->Valid(); it->Next()) mailed_->Add(it->key());
    OrStop(it->status());
  }

  // Whether the address is to be mailed now. It is on record when this returns.
  bool Take(const std::string& address) {
    if (!mailed_->MayContain(address)) {
      mailed_->Add(address);
      OrStop(db_.Put(address, "mailed"));
      return true;
    }
    ++look_ups_;
    const absl::StatusOr<bool> inserted = db_.PutIfAbsent(address, "mailed");
    OrStop(inserted.status());
    if (*inserted) ++saved_;
    mailed_->Add(address);
    return *inserted;
  }
  int look_ups() const { return look_ups_; }
  int saved() const { return saved_; }

 private:
  siltstone::DB& db_;
  std::unique_ptr<siltstone::BloomFilter> mailed_;
  int look_ups_ = 0;
  int saved_ = 0;  // whom a filter alone would have left out
};

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "mail_campaign.db";
  const int lines = argc > 2 ? std::atoi(argv[2]) : 20'000;
  const siltstone::Options options{.create_if_missing = true,
                                   .durability = siltstone::Durability::kBuffered};
  std::unordered_map<std::string, int> outbox;
  for (const int stop : {lines * 3 / 5, lines}) {
    auto db = siltstone::DB::Open(options, path);
    OrStop(db.status());
    Campaign campaign(**db, lines);
    for (int line = 0; line < stop; ++line) {
      const std::string address = Address(line);
      if (campaign.Take(address)) ++outbox[address];
    }
    std::printf("%d lines: %zu mailed by now; %d look-ups, %d of them for a wrong maybe\n", stop,
                outbox.size(), campaign.look_ups(), campaign.saved());
    OrStop((*db)->Close());
  }

  int twice = 0;
  int left_out = 0;
  for (const auto& [address, times] : outbox) twice += times > 1 ? 1 : 0;
  for (int line = 0; line < lines; ++line) left_out += outbox.contains(Address(line)) ? 0 : 1;
  std::printf("%d mailed twice, %d left out\n", twice, left_out);
  return twice == 0 && left_out == 0 ? 0 : 1;
}

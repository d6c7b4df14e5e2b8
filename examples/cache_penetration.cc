// Does this id exist at all? A guard before the cache and the database.
//
// A cache does not help against questions after what does not exist: each of them goes through to
// the database. A filter of all ids turns nearly all of them away. Products come and go, so it is a
// counting filter. And who asks may mean harm, so that its seed is secret: with the public one, ids
// could be made up that all pass.
//
// DB::MayContain is such a guard, too, without a filter of your own: the filters of the tables are
// in memory.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>

#include <siltstone/db.h>
#include <siltstone/filter.h>

namespace {

constexpr int kProducts = 10'000;
constexpr int kWithdrawn = 1'000;
constexpr int kAttacks = 50'000;

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

std::string Id(int product) { return "product:" + std::to_string(product); }

class Shop {
 public:
  Shop(siltstone::DB& db, siltstone::CountingBloomFilter& guard) : db_(db), guard_(guard) {}

  void Offer(const std::string& id) {
    guard_.Add(id);
    OrStop(db_.Put(id, "12.50"));
  }
  // REQUIRES: it was offered. Taking away what only looks present would harm others.
  void Withdraw(const std::string& id) {
    OrStop(db_.Delete(id));
    cache_.erase(id);
    OrStop(guard_.Remove(id));
  }
  bool Has(const std::string& id) {
    if (!guard_.MayContain(id)) return false;
    if (cache_.contains(id)) return true;
    ++database_reads_;
    const siltstone::DB::GetResult price = db_.Get(id);
    OrStop(price.status());
    if (price->has_value()) cache_.emplace(id, (*price)->ToString());
    return price->has_value();
  }
  int database_reads() const { return database_reads_; }

 private:
  siltstone::DB& db_;
  siltstone::CountingBloomFilter& guard_;
  std::unordered_map<std::string, std::string> cache_;
  int database_reads_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const siltstone::Options options{.create_if_missing = true,
                                   .durability = siltstone::Durability::kBuffered};
  auto db = siltstone::DB::Open(options, argc > 1 ? argv[1] : "cache_penetration.db");
  OrStop(db.status());
  auto guard = siltstone::CountingBloomFilter::Create(
      {.capacity = kProducts, .fp_chance = 0.01, .seed = siltstone::RandomFilterSeed()});
  OrStop(guard.status());

  Shop shop(**db, **guard);
  for (int i = 0; i < kProducts; ++i) shop.Offer(Id(i));
  for (int i = 0; i < kWithdrawn; ++i) shop.Withdraw(Id(i));

  int wrong = 0;
  for (int i = kWithdrawn; i < kProducts; ++i) wrong += shop.Has(Id(i)) ? 0 : 1;
  const int reads_of_products = shop.database_reads();
  for (int i = 0; i < kWithdrawn; ++i) wrong += shop.Has(Id(i)) ? 1 : 0;
  for (int i = 0; i < kAttacks; ++i) wrong += shop.Has(Id(kProducts + i)) ? 1 : 0;
  const int reads_of_attacks = shop.database_reads() - reads_of_products;

  const int asked = kWithdrawn + kAttacks;
  std::printf("%d products: each read once, then cached\n", reads_of_products);
  std::printf("%d questions after what is not there: %d went through to the database (%.2f %%)\n",
              asked, reads_of_attacks, 100.0 * reads_of_attacks / asked);
  std::printf("guard: %zu bytes; chance of a wrong maybe now %.2f %%\n", (*guard)->memory_bytes(),
              100 * (*guard)->predicted_fp_rate());
  const bool right = wrong == 0 && reads_of_attacks < asked / 20;
  if (!right)
    std::printf("BROKEN: %d wrong answers, or a guard that lets too much through\n", wrong);
  OrStop((*db)->Close());
  return right ? 0 : 1;
}

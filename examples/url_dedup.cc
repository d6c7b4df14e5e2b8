// Seen this URL before? Deduplication in a crawler.
//
// The filter answers most questions for new URLs without a look-up. Its "maybe" may be wrong, and a
// page must not be lost by that: then the table decides, and PutIfAbsent decides for many crawlers
// at once.

#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <unordered_map>

#include <siltstone/db.h>
#include <siltstone/filter.h>

namespace {

constexpr int kPages = 8000;
constexpr double kChance = 0.05;  // so high that false positives are sure to be seen

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

std::string Url(int page) { return "https://example.org/page/" + std::to_string(page); }

struct Counts {
  int links = 0;
  int certainly_new = 0;
  int already_seen = 0;
  int false_positives = 0;  // pages that would be lost if "maybe" were taken for "seen"
};

// Whether the URL is met for the first time.
bool IsNew(siltstone::BloomFilter& filter, siltstone::DB& db, const std::string& url,
           Counts* counts) {
  ++counts->links;
  if (!filter.MayContain(url)) {
    ++counts->certainly_new;
    filter.Add(url);
    OrStop(db.Put(url, ""));
    return true;
  }
  const absl::StatusOr<bool> inserted = db.PutIfAbsent(url, "");
  OrStop(inserted.status());
  ++(*inserted ? counts->false_positives : counts->already_seen);
  if (*inserted) filter.Add(url);
  return *inserted;
}

}  // namespace

int main(int argc, char** argv) {
  const siltstone::Options options{.create_if_missing = true,
                                   .durability = siltstone::Durability::kBuffered};
  auto db = siltstone::DB::Open(options, argc > 1 ? argv[1] : "url_dedup.db");
  OrStop(db.status());
  auto filter = siltstone::BloomFilter::Create({.capacity = kPages, .fp_chance = kChance});
  OrStop(filter.status());

  Counts counts;
  std::unordered_map<std::string, int> fetches;
  std::deque<int> frontier = {0};
  IsNew(**filter, **db, Url(0), &counts);
  while (!frontier.empty()) {
    const int page = frontier.front();
    frontier.pop_front();
    ++fetches[Url(page)];
    // The links of the page. The first of them makes every page reachable.
    for (const int link :
         {(page + 1) % kPages, page / 2, (7 * page + 3) % kPages, (page * 31 + 5) % kPages}) {
      if (IsNew(**filter, **db, Url(link), &counts)) frontier.push_back(link);
    }
  }

  std::printf("%d links: %d certainly new without a look-up, %d seen before\n", counts.links,
              counts.certainly_new, counts.already_seen);
  std::printf("%d pages were new though the filter said maybe: the table saved them\n",
              counts.false_positives);
  std::printf("filter: %zu bytes, the chance of a wrong maybe is %.2f %% now\n",
              (*filter)->memory_bytes(), 100 * (*filter)->predicted_fp_rate());
  OrStop((*db)->Close());

  bool each_once = fetches.size() == kPages;
  for (const auto& [url, times] : fetches) each_once = each_once && times == 1;
  std::printf(each_once ? "all %d pages were fetched once\n"
                        : "BROKEN: not all %d pages were fetched once\n",
              kPages);
  return each_once ? 0 : 1;
}

// Is this password among the leaked ones? Is this URL malicious? A certain "no" avoids a call over
// the network.
//
// The list is too large to be sent to everyone, and changes seldom. A filter of it is small, and
// says nothing about the list but to those who guess. Only a "maybe" asks the service that has the
// whole list.

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <siltstone/file_system.h>
#include <siltstone/filter.h>

namespace {

constexpr int kLeaked = 100'000;
constexpr int kGood = 50'000;

void OrStop(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(2);
}

std::string Leaked(int i) { return "letmein" + std::to_string(i); }
std::string Good(int i) { return "correct horse battery staple " + std::to_string(i); }

// The service on the network, which has the whole list.
class Service {
 public:
  void Publish(siltstone::FileSystem& files, const std::string& path) {
    std::vector<std::string> keys;
    for (int i = 0; i < kLeaked; ++i) keys.push_back(Leaked(i));
    for (const std::string& key : keys) list_->Add(key);
    const std::vector<std::string_view> views(keys.begin(), keys.end());
    auto filter = siltstone::StaticFilter::Build(siltstone::Filter::Kind::kBloom, views,
                                                 {.fp_chance = 0.001});
    OrStop(filter.status());
    OrStop((*filter)->Write(files, path));
    std::printf("list of %d: %zu bytes in memory; its filter: %zu bytes\n", kLeaked,
                list_->memory_bytes(), (*filter)->memory_bytes());
  }
  bool Ask(const std::string& password) {
    ++calls_;
    return list_->MayContain(password);
  }
  int calls() const { return calls_; }

 private:
  std::unique_ptr<siltstone::ExactSet> list_ = siltstone::ExactSet::Create();
  int calls_ = 0;
};

}  // namespace

int main() {
  const auto files = siltstone::NewMemoryFileSystem();
  Service service;
  service.Publish(*files, "/leaked.filter");

  // Every client has the file.
  const auto filter = siltstone::Filter::Read(*files, "/leaked.filter");
  OrStop(filter.status());
  const auto is_leaked = [&](const std::string& password) {
    return (*filter)->MayContain(password) && service.Ask(password);
  };
  int wrong = 0;
  for (int i = 0; i < kGood; ++i) wrong += is_leaked(Good(i)) ? 1 : 0;
  const int calls_for_good = service.calls();
  for (int i = 0; i < kLeaked; ++i) wrong += is_leaked(Leaked(i)) ? 0 : 1;

  std::printf("%d good passwords: %d calls (%.3f %%; %.3f %% were predicted)\n", kGood,
              calls_for_good, 100.0 * calls_for_good / kGood, 100 * (*filter)->predicted_fp_rate());
  std::printf("%d leaked ones: %d refused\n", kLeaked, kLeaked - wrong);
  if (wrong != 0) std::printf("BROKEN: %d wrong answers\n", wrong);
  return wrong == 0 ? 0 : 1;
}

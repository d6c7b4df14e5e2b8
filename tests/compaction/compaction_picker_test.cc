#include "engine/compaction/compaction_picker.h"

#include <algorithm>
#include <deque>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include <gtest/gtest.h>

#include "base/random.h"
#include "tests/support/test_seed.h"

namespace siltstone {
namespace {

const KeyOrder kOrder(BytewiseComparator());

// One case of picker_cases.txt.
class Case {
 public:
  // Takes one line in. False for a line of no known form.
  bool Take(const std::string& line) {
    std::istringstream words(line);
    std::string verb;
    words >> verb;
    if (verb == "limits") {
      words >> limits_.level0_trigger_tables >> limits_.base_level_size_bytes >>
          limits_.level_size_factor >> limits_.max_grandparent_bytes;
      return !words.fail();
    }
    if (verb == "small") {
      words >> limits_.small_table_bytes;
      return !words.fail();
    }
    if (verb == "cursor") {
      size_t level = 0;
      std::string key;
      words >> level >> key;
      cursors_[level] = Keep(key);
      return !words.fail();
    }
    if (verb.size() != 3 || verb[0] != 'L' || verb[2] != ':') return false;
    for (std::string word; words >> word;) {
      levels_[static_cast<size_t>(verb[1] - '0')].push_back(ParseTable(word));
    }
    return true;
  }

  std::string Run() const {
    const std::optional<Pick> pick = PickCompaction(levels_, kOrder, limits_, cursors_);
    if (!pick.has_value()) return "nothing";
    EXPECT_EQ(pick->output_level, pick->input_level + 1);
    std::string text = absl::StrCat("L", pick->input_level, ":");
    for (const size_t index : pick->inputs) absl::StrAppend(&text, " ", index);
    if (!pick->overlaps.empty()) absl::StrAppend(&text, " +");
    for (const size_t index : pick->overlaps) absl::StrAppend(&text, " ", index);
    if (pick->trivial_move) absl::StrAppend(&text, " move");
    return text;
  }

 private:
  std::string_view Keep(const std::string& key) { return keys_.emplace_back(key); }

  PickerTable ParseTable(const std::string& word) {
    PickerTable table;
    const size_t dash = word.find('-');
    const size_t end = word.find_first_of(":*", dash);
    const size_t colon = word.find(':');
    table.smallest = Keep(word.substr(0, dash));
    table.largest = Keep(word.substr(dash + 1, end - dash - 1));
    table.size_bytes = colon == std::string::npos ? 10 : std::stoull(word.substr(colon + 1));
    table.busy = word.back() == '*';
    return table;
  }

  PickerLimits limits_ = {.level0_trigger_tables = 4,
                          .base_level_size_bytes = 100,
                          .level_size_factor = 10,
                          .max_grandparent_bytes = 30};
  std::array<std::string_view, kLevelCount> cursors_;
  std::deque<std::string> keys_;  // that the views point to
  PickerLevels levels_;
};

TEST(CompactionPicker, PicksAsTheCasesSay) {
  std::ifstream file(std::string(SILTSTONE_SOURCE_DIR) + "/tests/compaction/picker_cases.txt");
  ASSERT_TRUE(file.good());
  auto current = std::make_unique<Case>();
  int number = 0, cases = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (line.rfind("=> ", 0) == 0) {
      EXPECT_EQ(current->Run(), line.substr(3)) << "line " << number;
      current = std::make_unique<Case>();
      ++cases;
    } else {
      ASSERT_TRUE(current->Take(line)) << "line " << number << ": " << line;
    }
  }
  EXPECT_GE(cases, 39);
}

// A database of key ranges on which several compactions run at the same time.
class Simulation {
 public:
  explicit Simulation(uint64_t seed) : random_(seed) {
    if (random_.OneIn(2)) limits_.small_table_bytes = 25;
  }

  void Step() {
    const uint64_t choice = random_.Uniform(3);
    if (choice == 0) Flush();
    if (choice == 1 && jobs_.size() < 4) Begin();
    if (choice == 2 && !jobs_.empty()) Finish(random_.Uniform(jobs_.size()));
  }

  size_t begun() const { return begun_; }
  size_t most_at_once() const { return most_at_once_; }

 private:
  struct Range {
    std::string smallest, largest;
    uint64_t size = 0;
    uint64_t id = 0;
    bool busy = false;
  };
  struct Job {
    int output_level = 0;
    std::vector<uint64_t> ids;
    std::string smallest, largest;
    uint64_t size = 0;
  };

  std::string Key() { return absl::StrCat(absl::Dec(random_.Uniform(1000), absl::kZeroPad4)); }

  void Flush() {
    std::string a = Key(), b = random_.OneIn(3) ? a : Key();
    if (b < a) std::swap(a, b);
    if (random_.OneIn(2)) b = std::min(b, absl::StrCat(a, "5"));
    levels_[0].insert(levels_[0].begin(), {a, b, 10, next_id_++});
  }

  void Begin() {
    PickerLevels view;
    std::array<std::string_view, kLevelCount> cursors;
    for (size_t level = 0; level < kLevelCount; ++level) {
      for (const Range& range : levels_[level]) {
        view[level].push_back({range.smallest, range.largest, range.size, range.busy});
      }
      if (!cursors_[level].empty()) cursors[level] = cursors_[level];
    }
    const std::optional<Pick> pick = PickCompaction(view, kOrder, limits_, cursors);
    if (!pick.has_value()) return;
    Job job;
    job.output_level = pick->output_level;
    for (const size_t index : pick->inputs) Take(pick->input_level, index, &job);
    cursors_[static_cast<size_t>(pick->input_level)] = job.largest;
    for (const size_t index : pick->overlaps) Take(pick->output_level, index, &job);
    ASSERT_TRUE(!pick->trivial_move || job.ids.size() == 1);
    for (const Job& other : jobs_) {
      ASSERT_FALSE(other.output_level == job.output_level && other.smallest <= job.largest &&
                   job.smallest <= other.largest)
          << "two jobs write overlapping ranges to level " << job.output_level;
    }
    jobs_.push_back(job);
    ++begun_;
    most_at_once_ = std::max(most_at_once_, jobs_.size());
  }

  void Take(int level, size_t index, Job* job) {
    Range& range = levels_[static_cast<size_t>(level)][index];
    ASSERT_FALSE(range.busy) << "a table in two jobs";
    range.busy = true;
    if (job->ids.empty() || range.smallest < job->smallest) job->smallest = range.smallest;
    if (job->ids.empty() || range.largest > job->largest) job->largest = range.largest;
    job->ids.push_back(range.id);
    job->size += range.size;
  }

  // Inputs go, one output of the whole range comes.
  void Finish(size_t which) {
    const Job job = jobs_[which];
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(which));
    for (auto& level : levels_) {
      std::erase_if(level, [&](const Range& range) {
        return std::find(job.ids.begin(), job.ids.end(), range.id) != job.ids.end();
      });
    }
    auto& level = levels_[static_cast<size_t>(job.output_level)];
    level.push_back({job.smallest, job.largest, job.size, next_id_++});
    std::sort(level.begin(), level.end(),
              [](const Range& a, const Range& b) { return a.smallest < b.smallest; });
    for (size_t i = 1; i < level.size(); ++i) {
      ASSERT_LT(level[i - 1].largest, level[i].smallest) << "level " << job.output_level;
    }
  }

  Random random_;
  PickerLimits limits_ = {.level0_trigger_tables = 2,
                          .base_level_size_bytes = 60,
                          .level_size_factor = 2,
                          .max_grandparent_bytes = 40};
  uint64_t next_id_ = 1;
  std::array<std::vector<Range>, kLevelCount> levels_;
  std::array<std::string, kLevelCount> cursors_;
  std::vector<Job> jobs_;
  size_t begun_ = 0;
  size_t most_at_once_ = 0;
};

TEST(CompactionPicker, JobsThatRunTogetherShareNoTableAndNoOutputRange) {
  const uint64_t seed = TestSeed();
  size_t begun = 0, most_at_once = 0;
  for (uint64_t round = 0; round < 50; ++round) {
    Simulation simulation(seed + round);
    for (int step = 0; step < 600; ++step) {
      simulation.Step();
      if (::testing::Test::HasFatalFailure()) FAIL() << "round " << round << ", step " << step;
    }
    begun += simulation.begun();
    most_at_once = std::max(most_at_once, simulation.most_at_once());
  }
  EXPECT_GT(begun, 1000u) << "the simulation tests nothing";
  EXPECT_GE(most_at_once, 3u);
}

TEST(CompactionPicker, TheTablesOfALevelTakeTurns) {
  PickerLevels levels;
  const std::vector<std::string> keys = {"a", "b", "c", "d", "e"};
  for (const std::string& key : keys) levels[1].push_back({key, key, 100});
  const PickerLimits limits = {.base_level_size_bytes = 100, .max_grandparent_bytes = 100};
  std::array<std::string_view, kLevelCount> cursors;
  for (int turn = 0; turn < 12; ++turn) {
    const auto pick = PickCompaction(levels, kOrder, limits, cursors);
    ASSERT_TRUE(pick.has_value());
    EXPECT_EQ(pick->inputs.front(), static_cast<size_t>(turn) % keys.size());
    cursors[1] = levels[1][pick->inputs.front()].largest;
  }
}

TEST(CompactionPicker, UsesTheOrderOfTheDatabase) {
  class Reverse : public Comparator {
   public:
    int Compare(std::string_view a, std::string_view b) const override { return b.compare(a); }
    std::string_view name() const override { return "reverse"; }
  };
  const Reverse reverse;
  PickerLevels levels;
  levels[1] = {{"z", "m", 100}, {"l", "a", 100}};
  levels[2] = {{"n", "m", 10}, {"d", "c", 10}};
  const auto pick =
      PickCompaction(levels, KeyOrder(&reverse),
                     {.base_level_size_bytes = 100, .max_grandparent_bytes = 100}, {{{}, "m"}});
  ASSERT_TRUE(pick.has_value());
  EXPECT_EQ(pick->inputs, std::vector<size_t>{1});
  EXPECT_EQ(pick->overlaps, std::vector<size_t>{1});
}

}  // namespace
}  // namespace siltstone

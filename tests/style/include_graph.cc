#include "tests/style/include_graph.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace siltstone::style {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kSourceFolders = {"include",  "base",   "filter", "memtable",
                                                 "sstable",  "engine", "tools",  "bench",
                                                 "examples", "tests"};

// A layer and what it may include besides itself. Written out in full: this table is the rule.
const std::map<std::string, std::set<std::string>>& AllowedLayers() {
  static const auto* const kAllowed = [] {
    auto* allowed = new std::map<std::string, std::set<std::string>>;
    auto& a = *allowed;
    const auto join = [](std::set<std::string> one, const std::set<std::string>& other) {
      one.insert(other.begin(), other.end());
      return one;
    };
    a["include"] = {};
    a["base"] = {"include"};
    a["filter"] = a["memtable"] = a["sstable"] = {"include", "base"};
    const std::set<std::string> below_engine = {"include", "base", "filter", "memtable", "sstable"};
    a["engine/wal"] = below_engine;
    a["engine/manifest"] = join(a["engine/wal"], {"engine/wal"});
    a["engine/read"] = join(a["engine/manifest"], {"engine/manifest"});
    a["engine/compaction"] = join(a["engine/read"], {"engine/read"});
    a["engine/write"] = join(a["engine/wal"], {"engine/wal"});
    a["engine/recovery"] = join(join(a["engine/compaction"], a["engine/write"]),
                                {"engine/compaction", "engine/write"});
    a["engine/maintenance"] = join(a["engine/read"], {"engine/read"});
    a["engine"] = join(a["engine/recovery"], {"engine/recovery", "engine/maintenance"});
    a["tools"] = a["bench"] = join(a["engine"], {"engine"});
    a["tests"] = join(a["tools"], {"tools", "bench"});
    a["examples"] = {"include"};
    return allowed;
  }();
  return *kAllowed;
}

std::string LayerOf(const std::string& path) {
  const size_t first = path.find('/');
  const std::string top = path.substr(0, first);
  if (top != "engine") return top;
  const size_t second = path.find('/', first + 1);
  return second == std::string::npos ? top : path.substr(0, second);
}

std::string UnitOf(const std::string& path) { return path.substr(0, path.rfind('.')); }

struct Include {
  int line;
  std::string name;
};

std::vector<Include> IncludesOf(const std::string& text) {
  static const std::regex kInclude(R"(^\s*#\s*include\s*["<]([^">]+)[">])");
  std::vector<Include> includes;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) includes.push_back({number, match[1]});
  }
  return includes;
}

// The file of the tree that an include names, if it is one: from the root, from include/, or from
// the includer's folder.
std::optional<std::string> Resolve(const SourceTree& tree, const std::string& includer,
                                   const std::string& name) {
  const std::string beside =
      fs::path(includer).parent_path().append(name).lexically_normal().string();
  for (const std::string& candidate : {name, "include/" + name, beside}) {
    if (tree.contains(candidate)) return candidate;
  }
  return std::nullopt;
}

std::string Place(const std::string& path, int line) {
  return path + ":" + std::to_string(line) + ": ";
}

using UnitGraph = std::map<std::string, std::set<std::string>>;

// Depth first; a unit met again while still on the path closes a circle.
class CircleSearch {
 public:
  explicit CircleSearch(const UnitGraph& graph) : graph_(graph) {}

  std::vector<std::string> Run() {
    for (const auto& [unit, edges] : graph_) Visit(unit);
    return std::move(faults_);
  }

 private:
  void Visit(const std::string& unit) {
    const auto on_path = std::find(path_.begin(), path_.end(), unit);
    if (on_path != path_.end()) {
      std::string circle;
      for (auto it = on_path; it != path_.end(); ++it) circle += *it + " -> ";
      faults_.push_back("circle of units: " + circle + unit);
      return;
    }
    if (!visited_.insert(unit).second) return;
    path_.push_back(unit);
    const auto edges = graph_.find(unit);
    if (edges != graph_.end()) {
      for (const std::string& next : edges->second) Visit(next);
    }
    path_.pop_back();
  }

  const UnitGraph& graph_;
  std::set<std::string> visited_;
  std::vector<std::string> path_;
  std::vector<std::string> faults_;
};

bool IsOtherEngine(std::string_view name) {
  return name.starts_with("rocksdb/") || name.starts_with("leveldb/");
}

}  // namespace

std::vector<std::string> FindIncludeFaults(const SourceTree& tree) {
  std::vector<std::string> faults;
  UnitGraph graph;
  for (const auto& [path, text] : tree) {
    const std::string layer = LayerOf(path);
    const auto allowed = AllowedLayers().find(layer);
    if (allowed == AllowedLayers().end()) {
      faults.push_back(path + ": folder " + layer + " has no place in the order of layers");
      continue;
    }
    for (const auto& [line, name] : IncludesOf(text)) {
      if (IsOtherEngine(name) && !path.starts_with("bench/peers/")) {
        faults.push_back(Place(path, line) + "only bench/peers may include " + name);
      }
      const std::optional<std::string> target = Resolve(tree, path, name);
      if (!target) continue;
      const std::string target_layer = LayerOf(*target);
      if (target_layer != layer && !allowed->second.contains(target_layer)) {
        faults.push_back(Place(path, line) + layer + " may not include " + *target);
      }
      if (UnitOf(*target) != UnitOf(path)) graph[UnitOf(path)].insert(UnitOf(*target));
    }
  }
  const std::vector<std::string> circles = CircleSearch(graph).Run();
  faults.insert(faults.end(), circles.begin(), circles.end());
  return faults;
}

SourceTree ReadSourceTree(const std::string& root) {
  SourceTree tree;
  for (const std::string& folder : kSourceFolders) {
    const fs::path top = fs::path(root) / folder;
    if (!fs::is_directory(top)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".h" && extension != ".cc" && extension != ".c") continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << file.rdbuf();
      tree[entry.path().lexically_relative(root).generic_string()] = text.str();
    }
  }
  return tree;
}

}  // namespace siltstone::style

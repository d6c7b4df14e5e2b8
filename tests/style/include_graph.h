// The direction of dependence, checked on #include lines.
//
//   std::vector<std::string> faults = FindIncludeFaults({{"base/coding.h", "#include
//   \"filter/bloom.h\"\n"}, ...});
//
// The files are given as text, so that the check itself can be tested on trees that do not exist. A
// fault is one line that names the file, the line and the rule.
//
// Rules:
//   R1  A file includes only from layers that stand below its own (the table in include_graph.cc).
//   R2  Units, that is x.h and x.cc taken together, do not depend on one another in a circle.
//   R3  Every folder directly under engine/ has its place in the table.
//   R4  Only bench/peers/ includes the headers of other storage engines.

#ifndef SILTSTONE_TESTS_STYLE_INCLUDE_GRAPH_H_
#define SILTSTONE_TESTS_STYLE_INCLUDE_GRAPH_H_

#include <map>
#include <string>
#include <vector>

namespace siltstone::style {

// Path from the root of the repository, with '/', to the file's text.
using SourceTree = std::map<std::string, std::string>;

std::vector<std::string> FindIncludeFaults(const SourceTree& tree);

// Every *.h, *.cc and *.c of the source folders under `root`.
SourceTree ReadSourceTree(const std::string& root);

}  // namespace siltstone::style

#endif  // SILTSTONE_TESTS_STYLE_INCLUDE_GRAPH_H_

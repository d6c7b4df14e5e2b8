#include "tools/verb_table.h"

#include "tools/explain.h"
#include "tools/verbs_damage.h"
#include "tools/verbs_filter_file_ask.h"
#include "tools/verbs_filter_file_make.h"
#include "tools/verbs_read.h"
#include "tools/verbs_report.h"
#include "tools/verbs_table_filters.h"
#include "tools/verbs_write.h"

namespace siltstone::tools {

const std::vector<Verb>& ShellVerbs() {
  static const auto* const kVerbs = new std::vector<Verb>{
      GetVerb(),         PutVerb(),         DelVerb(),         ScanVerb(),        CountVerb(),
      BatchVerb(),       ImportVerb(),      ExportVerb(),      InfoVerb(),        StatsVerb(),
      FiltersVerb(),     ExplainVerb(),     VerifyVerb(),      RepairVerb(),      CompactVerb(),
      FilterPlanVerb(),  FilterBuildVerb(), FilterQueryVerb(), FilterUnionVerb(), FilterInfoVerb(),
      FilterExportVerb()};
  return *kVerbs;
}

const std::vector<Verb>& AllVerbs() {
  static const auto* const kVerbs = [] {
    auto* verbs = new std::vector<Verb>(ShellVerbs());
    verbs->push_back(
        {.name = "shell",
         .summary = "run verbs line by line",
         .details =
             "Lines are verbs with their operands; \"quotes\" keep spaces, and \\t \\n \\0 \\xNN\n"
             "stand for bytes. The database is opened by the first verb, to be read only until\n"
             "a verb writes; from then on it is held. Leave by exit, quit or the end of input.",
         .access = Access::kNone});
    return verbs;
  }();
  return *kVerbs;
}

}  // namespace siltstone::tools

#pragma once

#include <string>
#include <vector>

#include "tools/output_format.h"
#include "tools/verb.h"

namespace siltstone::tools {

// Reports are tables also where no terminal is: they are for people.
OutputFormat ReportFormat(const VerbContext& context);

// Things of one kind with the same properties, of which the first one tells them apart.
struct FactList {
  std::string name;      // "levels"
  std::string one_name;  // "level"
  std::vector<Facts> rows;
};

// Facts, then a table of the list: in JSON a member of its name; in other forms a fact for each property, as in
// "level_1_tables".
void WriteFactsAndList(VerbContext& context, const Facts& facts, const FactList& list);

}  // namespace siltstone::tools

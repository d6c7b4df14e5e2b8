#include "tools/filter_options.h"

#include "tools/filter_files.h"
#include "tools/option_binding.h"

namespace siltstone::tools {

void AddFilterDesignOptions(CLI::App& app, Arguments& arguments) {
  FilterArguments& filter = arguments.filter;
  BindOption(app, "--kind", filter.kind, ParseFilterFileKind, "KIND",
             "one of " + FilterFileKindNames(), FilterFileKindNames());
  BindOption(app, "--fp", filter.fp_chance, ParseChance, "P", "a chance in (0, 1)",
             "chance of a wrong maybe [0.01]");
  BindOption(app, "--items", filter.items, ParseCount, "N", "a number",
             "distinct keys it is made for");
}

void AddKeyFormOptions(CLI::App& app, Arguments& arguments) {
  app.add_flag("-0,--null", arguments.filter.nul_ended, "keys end in NUL in place of a newline");
  app.add_flag("--hex", arguments.filter.hex_lines, "keys are lines of hex digits");
}

Verdict CheckKeyForm(const Arguments& arguments) {
  if (arguments.filter.nul_ended && arguments.filter.hex_lines) {
    return Verdict::Usage("--null excludes --hex", "use one or the other");
  }
  return Verdict::Yes();
}

KeyForm KeyFormOf(const Arguments& arguments) {
  if (arguments.filter.hex_lines) return KeyForm::kHexLines;
  return arguments.filter.nul_ended ? KeyForm::kNulEnded : KeyForm::kLines;
}

std::string KeysOperand(const Arguments& arguments) {
  return arguments.operands.size() < 2 ? "-" : arguments.operands[1];
}

}  // namespace siltstone::tools

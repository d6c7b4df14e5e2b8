#pragma once

#include <string>

#include "tools/key_lines.h"
#include "tools/verb.h"

namespace CLI {
class App;
}

namespace siltstone::tools {

// Options that several of the filter verbs share.

// --kind, --fp and --items.
void AddFilterDesignOptions(CLI::App& app, Arguments& arguments);
// -0/--null and --hex, for inputs of keys.
void AddKeyFormOptions(CLI::App& app, Arguments& arguments);

// Fault of the form of keys: --null beside --hex.
Verdict CheckKeyForm(const Arguments& arguments);
KeyForm KeyFormOf(const Arguments& arguments);

// The operand behind the filter's file: where keys come from; stdin when it is not given.
std::string KeysOperand(const Arguments& arguments);

}  // namespace siltstone::tools

#include "tools/key_range.h"

#include "tools/option_binding.h"

namespace siltstone::tools {

void AddRangeOptions(CLI::App& app, Arguments& arguments) {
  BindBytes(app, "--prefix", arguments.prefix, "P", "only keys that begin with P");
  BindBytes(app, "--from", arguments.from, "A", "only keys from A on");
  BindBytes(app, "--to", arguments.to, "B", "only keys before B");
  AddHexOption(app, arguments);
}

void AddHexOption(CLI::App& app, Arguments& arguments) {
  app.add_flag("--hex", arguments.keys_are_hex, "keys on the command line are given in hex");
}

Verdict CheckRange(const Arguments& arguments) {
  if (arguments.prefix && (arguments.from || arguments.to)) {
    return Verdict::Usage("--prefix excludes --from and --to", "use one or the other");
  }
  return Verdict::Yes();
}

std::unique_ptr<Iterator> StartOfRange(DB& db, const Arguments& arguments) {
  // A walk over much data must not push out what point reads use.
  ReadOptions options{.fill_cache = false};
  options.prefix = arguments.prefix;
  options.lower_bound = arguments.from;
  options.upper_bound = arguments.to;
  std::unique_ptr<Iterator> it = db.NewIterator(options);
  arguments.reverse ? it->SeekToLast() : it->SeekToFirst();
  return it;
}

}  // namespace siltstone::tools

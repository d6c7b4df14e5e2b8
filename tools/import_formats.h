#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "tools/input.h"
#include "tools/record_reader.h"

namespace siltstone::tools {

// The text formats that `kvtool import` takes.
//
// Format:
//   tsv     a line a record: key, tab, value, with the escapes of UnescapeField; a carriage return before the
//           newline is not data
//   csv     RFC 4180 with lines ended by "\n" or "\r\n" and any bytes in fields: two fields a record. A first
//           record of exactly key,value is a header
//   jsonl   a line an object of exactly the members "key" and "value", each a string or {"base64": "..."};
//           empty lines are skipped
//   deb822  stanzas between blank lines, as in Debian's package indexes: the key is the first line of the
//           field that key_field names, in any case, without the white space around it; the value is the text
//           of the stanza, every line with its newline
enum class ImportFormat { kTsv, kCsv, kJsonLines, kDeb822 };

std::optional<ImportFormat> ParseImportFormat(std::string_view name);
std::string ImportFormatNames();

struct ImportFormatOptions {
  ImportFormat format = ImportFormat::kTsv;
  std::string key_field = {};  // deb822
  bool escapes = true;         // tsv; false: a backslash is a backslash
  bool has_header = true;      // csv; false: a first record of key,value is data
};

// `input` must outlive the reader.
std::unique_ptr<RecordReader> NewImportReader(Input& input, const ImportFormatOptions& options);

}  // namespace siltstone::tools

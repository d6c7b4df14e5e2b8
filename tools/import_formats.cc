#include "tools/import_formats.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/match.h"

#include "base/status_macros.h"
#include "base/to_absl.h"
#include "tools/bytes_text.h"
#include "tools/cell.h"

namespace siltstone::tools {
namespace {

constexpr std::array<std::pair<std::string_view, ImportFormat>, 4> kFormats = {{
    {"tsv", ImportFormat::kTsv},
    {"csv", ImportFormat::kCsv},
    {"jsonl", ImportFormat::kJsonLines},
    {"deb822", ImportFormat::kDeb822},
}};

absl::Status Bad(const std::string& what, const std::string& place) {
  return absl::DataLossError(what + "," + place);
}

class TsvReader : public RecordReader {
 public:
  TsvReader(Input& input, bool escapes) : input_(input), escapes_(escapes) {}

  absl::StatusOr<bool> Next(Record* record) override {
    absl::StatusOr<bool> more = input_.ReadLine(&line_);
    if (!more.ok() || !*more) return more;
    std::string_view line = line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos || line.find('\t', tab + 1) != std::string_view::npos) {
      return Bad("expected key, one tab, value", input_.LinePlace());
    }
    SILTSTONE_RETURN_IF_ERROR(SetField(line.substr(0, tab), "key", &record->key));
    SILTSTONE_RETURN_IF_ERROR(SetField(line.substr(tab + 1), "value", &record->value));
    return true;
  }

 private:
  absl::Status SetField(std::string_view text, const std::string& what, std::string* out) {
    if (!escapes_) {
      *out = text;
      return absl::OkStatus();
    }
    std::optional<std::string> bytes = UnescapeField(text);
    if (!bytes) return Bad("unknown escape in the " + what, input_.LinePlace());
    *out = *std::move(bytes);
    return absl::OkStatus();
  }

  Input& input_;
  const bool escapes_;
  std::string line_;
};

class CsvReader : public RecordReader {
 public:
  CsvReader(Input& input, bool has_header) : input_(input), at_header_(has_header) {}

  absl::StatusOr<bool> Next(Record* record) override {
    while (true) {
      absl::StatusOr<bool> more = ReadFields();
      if (!more.ok() || !*more) return more;
      if (fields_.size() != 2) {
        return Bad("expected 2 fields, found " + std::to_string(fields_.size()), Place());
      }
      if (!std::exchange(at_header_, false) || fields_[0] != "key" || fields_[1] != "value") break;
    }
    record->key = std::move(fields_[0]);
    record->value = std::move(fields_[1]);
    return true;
  }

 private:
  // A record goes on over lines while a quoted field is open.
  absl::StatusOr<bool> ReadFields() {
    fields_.clear();
    absl::StatusOr<bool> more = ReadLine();
    if (!more.ok() || !*more) return more;
    first_line_ = input_.line_number();
    while (true) {
      fields_.emplace_back();
      absl::StatusOr<bool> comma = ReadField(&fields_.back());
      if (!comma.ok() || !*comma) return comma.ok() ? absl::StatusOr<bool>(true) : comma;
    }
  }

  absl::StatusOr<bool> ReadLine() {
    position_ = 0;
    return input_.ReadLine(&line_);
  }

  // What is left of the line without a carriage return at its end.
  std::string_view Rest() const {
    std::string_view rest = std::string_view(line_).substr(position_);
    if (rest.ends_with('\r')) rest.remove_suffix(1);
    return rest;
  }

  // True: a comma follows, and is taken.
  absl::StatusOr<bool> ReadField(std::string* field) {
    if (Rest().starts_with('"')) {
      ++position_;
      SILTSTONE_RETURN_IF_ERROR(ReadQuoted(field));
    } else {
      const std::string_view rest = Rest();
      *field = rest.substr(0, rest.find(','));
      position_ += field->size();
      if (field->find('"') != std::string::npos) {
        return Bad("a quote inside a field without quotes", input_.LinePlace());
      }
    }
    if (Rest().empty()) return false;
    if (Rest()[0] != ',') return Bad("a quoted field goes on behind its quote", input_.LinePlace());
    ++position_;
    return true;
  }

  // From behind the opening quote to behind the closing one.
  absl::Status ReadQuoted(std::string* field) {
    while (true) {
      const size_t quote = line_.find('"', position_);
      if (quote == std::string::npos) {
        field->append(line_, position_);
        *field += '\n';
        absl::StatusOr<bool> more = ReadLine();
        if (!more.ok()) return more.status();
        if (!*more) return Bad("a quoted field has no end", Place());
        continue;
      }
      field->append(line_, position_, quote - position_);
      position_ = quote + 1;
      if (position_ == line_.size() || line_[position_] != '"') return absl::OkStatus();
      *field += '"';
      ++position_;
    }
  }

  std::string Place() const {
    return " in " + input_.name() + " at line " + std::to_string(first_line_);
  }

  Input& input_;
  bool at_header_;
  std::string line_;
  size_t position_ = 0;  // in line_
  uint64_t first_line_ = 0;
  std::vector<std::string> fields_;
};

class JsonLinesReader : public RecordReader {
 public:
  explicit JsonLinesReader(Input& input) : input_(input) {}

  absl::StatusOr<bool> Next(Record* record) override {
    do {
      absl::StatusOr<bool> more = input_.ReadLine(&line_);
      if (!more.ok() || !*more) return more;
    } while (line_.find_first_not_of(" \t\r") == std::string::npos);
    const Json object = Json::parse(line_, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return Bad("expected a JSON object", input_.LinePlace());
    for (const auto& [name, value] : object.items()) {
      if (name != "key" && name != "value") {
        return Bad("unexpected member " + Quoted(name), input_.LinePlace());
      }
    }
    SILTSTONE_RETURN_IF_ERROR(SetMember(object, "key", &record->key));
    SILTSTONE_RETURN_IF_ERROR(SetMember(object, "value", &record->value));
    return true;
  }

 private:
  absl::Status SetMember(const Json& object, const std::string& name, std::string* out) {
    const auto member = object.find(name);
    std::optional<std::string> bytes;
    if (member != object.end()) bytes = BytesFromJson(*member);
    if (!bytes) {
      return Bad("expected \"" + name + R"(" to be a string or {"base64": "..."})",
                 input_.LinePlace());
    }
    *out = *std::move(bytes);
    return absl::OkStatus();
  }

  Input& input_;
  std::string line_;
};

class Deb822Reader : public RecordReader {
 public:
  Deb822Reader(Input& input, std::string key_field)
      : input_(input), key_field_(std::move(key_field)) {}

  absl::StatusOr<bool> Next(Record* record) override {
    bool has_key = false;
    record->value.clear();
    while (true) {
      absl::StatusOr<bool> more = input_.ReadLine(&line_);
      if (!more.ok()) return more;
      const bool is_blank = !*more || line_.find_first_not_of(" \t\r") == std::string::npos;
      if (is_blank && !record->value.empty()) break;
      if (!*more) return false;
      if (is_blank) continue;
      if (record->value.empty()) first_line_ = input_.line_number();
      if (!has_key) has_key = FindKey(&record->key);
      record->value += line_;
      record->value += '\n';
    }
    if (has_key) return true;
    return Bad("stanza without a field " + Quoted(key_field_),
               " in " + input_.name() + " at line " + std::to_string(first_line_));
  }

 private:
  // Whether the line is the field that holds the key. An empty one counts as missing.
  bool FindKey(std::string* key) const {
    std::string_view line = line_;
    if (line.size() <= key_field_.size() || line[key_field_.size()] != ':') return false;
    if (!absl::EqualsIgnoreCase(ToAbsl(line.substr(0, key_field_.size())), key_field_)) {
      return false;
    }
    line.remove_prefix(key_field_.size() + 1);
    const size_t start = line.find_first_not_of(" \t\r");
    if (start == std::string_view::npos) return false;
    *key = line.substr(start, line.find_last_not_of(" \t\r") - start + 1);
    return true;
  }

  Input& input_;
  const std::string key_field_;
  std::string line_;
  uint64_t first_line_ = 0;  // of the stanza
};

}  // namespace

std::optional<ImportFormat> ParseImportFormat(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) return format;
  }
  return std::nullopt;
}

std::string ImportFormatNames() {
  std::string names;
  for (const auto& [name, format] : kFormats) {
    if (!names.empty()) names += ", ";
    names += name;
  }
  return names;
}

std::unique_ptr<RecordReader> NewImportReader(Input& input, const ImportFormatOptions& options) {
  switch (options.format) {
    case ImportFormat::kTsv:
      return std::make_unique<TsvReader>(input, options.escapes);
    case ImportFormat::kCsv:
      return std::make_unique<CsvReader>(input, options.has_header);
    case ImportFormat::kJsonLines:
      return std::make_unique<JsonLinesReader>(input);
    case ImportFormat::kDeb822:
      return std::make_unique<Deb822Reader>(input, options.key_field);
  }
  return nullptr;
}

}  // namespace siltstone::tools

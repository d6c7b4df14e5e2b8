#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include <xxhash.h>

#include "tools/input.h"
#include "tools/output.h"
#include "tools/record_reader.h"

namespace siltstone::tools {

// The lossless format of `kvtool export`: records between a line that names the format and a count with a
// checksum, so that a stream that was cut or changed is never taken for whole.
//
// Format: FORMAT.md "Export", X1 to X8.

// The first bytes of every export (X1). 0x89 begins no text.
inline constexpr std::string_view kExportMagic = "\x89Siltstone export 1\n";

// The checksum over a stream of bytes (X6).
class ExportChecksum {
 public:
  ExportChecksum();
  ~ExportChecksum();
  ExportChecksum(const ExportChecksum&) = delete;
  ExportChecksum& operator=(const ExportChecksum&) = delete;

  void Add(std::string_view bytes);
  uint64_t Value() const;

 private:
  XXH3_state_t* const state_;
};

// Single-threaded.
class ExportWriter {
 public:
  // Writes the magic at once.
  explicit ExportWriter(Output& output);

  // REQUIRES: key and value are no longer than a database allows.
  void Add(std::string_view key, std::string_view value);
  // Writes the end; without it the export counts as cut.
  void Finish();

  uint64_t record_count() const { return record_count_; }

 private:
  void Write(std::string_view bytes);

  Output& output_;
  ExportChecksum checksum_;
  uint64_t record_count_ = 0;
};

// Reads an export; Next answers false only when count and checksum are right and nothing is behind.
std::unique_ptr<RecordReader> NewExportReader(Input& input);

}  // namespace siltstone::tools

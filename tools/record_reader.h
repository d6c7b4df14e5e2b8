#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace siltstone::tools {

// One key with its value, on its way into a database.
struct Record {
  std::string key;
  std::string value;
};

// Reads records of one format from an Input.
//
// Errors: DataLoss when the input does not follow the format; the message names the input and the line or
// offset. And those of Input.
//
// Thread safety: single-threaded.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // The next record; false at the end of the input.
  virtual absl::StatusOr<bool> Next(Record* record) = 0;
};

}  // namespace siltstone::tools

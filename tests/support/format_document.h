#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

// The worked examples of FORMAT.md, held byte for byte: what was once written is read for ever.

namespace siltstone {

// Sixteen bytes a line, with their offset: "0000  53 69 ...".
inline std::string HexDump(const std::string& bytes) {
  std::string out;
  for (size_t start = 0; start < bytes.size(); start += 16) {
    char text[32];
    std::snprintf(text, sizeof(text), "%04zx ", start);
    out += text;
    for (size_t i = start; i < start + 16 && i < bytes.size(); ++i) {
      std::snprintf(text, sizeof(text), " %02x", static_cast<unsigned char>(bytes[i]));
      out += text;
    }
    out += '\n';
  }
  return out;
}

// Whether FORMAT.md shows these bytes as an example. SILTSTONE_PRINT_EXAMPLE=1 prints them.
inline bool FormatDocumentShows(const std::string& bytes) {
  const std::string dump = HexDump(bytes);
  if (std::getenv("SILTSTONE_PRINT_EXAMPLE") != nullptr) std::printf("%s\n", dump.c_str());
  std::ifstream file(std::string(SILTSTONE_SOURCE_DIR) + "/FORMAT.md");
  const std::string document{std::istreambuf_iterator<char>(file), {}};
  return document.find("```\n" + dump + "```") != std::string::npos;
}

}  // namespace siltstone

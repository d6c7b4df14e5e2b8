#pragma once

#include <string>

// Makes the checksums of damaged bytes right again: of every part whose place can still be told. What they do
// not understand they leave as it is.

namespace siltstone::fuzz {

void ResealFilterBlock(std::string* block);
// With the filter block in it, for the kinds that have one.
void ResealFilterFile(std::string* file);
// Header and records of a WAL or a manifest; also the end marks.
void ResealLog(std::string* log);
// Footer, tail blocks, the filter in its block, and the data blocks that the index names.
void ResealTable(std::string* table);
// The checksum of the end of an export.
void ResealExport(std::string* stream);

}  // namespace siltstone::fuzz

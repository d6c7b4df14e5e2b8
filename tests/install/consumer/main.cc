// A program of a user: opens a database, writes, reads; builds a filter.

#include <cstdio>

#include <siltstone/db.h>
#include <siltstone/filter.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto db = siltstone::DB::Open({.create_if_missing = true}, argv[1]);
  if (!db.ok()) return std::fprintf(stderr, "%s\n", db.status().ToString().c_str()), 3;
  if (!(*db)->Put("stone", "silt").ok()) return 4;
  auto value = (*db)->Get("stone");
  if (!value.ok() || !value->has_value() || (**value).view() != "silt") return 5;
  auto filter = siltstone::CuckooFilter::Create({.capacity = 10});
  if (!filter.ok() || !(*filter)->Add("stone").ok() || !(*filter)->Remove("stone").ok()) return 7;
  if (!siltstone::Filter::Parse((*filter)->Serialize()).ok()) return 8;
  return (*db)->Close().ok() ? 0 : 6;
}

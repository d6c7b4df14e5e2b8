// A program of a user: opens a database, writes, reads.

#include <cstdio>

#include <siltstone/db.h>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto db = siltstone::DB::Open({.create_if_missing = true}, argv[1]);
  if (!db.ok()) return std::fprintf(stderr, "%s\n", db.status().ToString().c_str()), 3;
  if (!(*db)->Put("stone", "silt").ok()) return 4;
  auto value = (*db)->Get("stone");
  if (!value.ok() || !value->has_value() || (**value).view() != "silt") return 5;
  return (*db)->Close().ok() ? 0 : 6;
}

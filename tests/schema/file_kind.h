// The kinds of file we read, each with its schema, its reader and the files that ship.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {

struct FileKind {
  std::string_view schema;  // data/schema/….schema.json, and `schema: …/1` of the files.
  // Everything the reader has to say about a text in YAML.
  Diagnostics (*read)(const std::string& path, const std::string& text);
};

std::span<const FileKind> file_kinds();

struct Sample {
  std::string path;  // Below data/.
  std::string text;
  Json tree;
};

// The files of this kind in data/, sorted by path. A file that cannot be parsed fails the test.
std::vector<Sample> shipped_files(const FileKind& kind);

// Scenarios that together use every key, which no sensible one does.
std::vector<Sample> odd_scenarios();
// A node with every key.
std::vector<Sample> odd_nodes();

}  // namespace loadfactor::schema

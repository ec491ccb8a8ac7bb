// Any bytes at all: the YAML, JSON and CSV readers answer with a tree or with an error that
// points into the text.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/error_codes.h"
#include "config/csv.h"
#include "config/document.h"
#include "config/foreign_yaml.h"

namespace {

using loadfactor::Diagnostics;
using loadfactor::Error;
namespace config = loadfactor::config;

void check_error(const Error& error) {
  LF_CHECK(loadfactor::find_error_code(error.code) != nullptr, "the code is registered");
  LF_CHECK(!error.message.empty(), "an error says what is wrong");
  LF_CHECK(!loadfactor::render(error).empty(), "an error can be shown");
}

void check_tree(const config::Document& document, const config::Node& node) {
  LF_CHECK(node.position.line >= 1 && node.position.line <= document.lines.size(),
           "a node stands in the text");
  LF_CHECK(node.position.column >= 1 && node.position.length >= 1, "a node has a place");
  for (const auto& item : node.items) check_tree(document, item);
  for (const auto& member : node.members) {
    LF_CHECK(member.key_position.line >= 1, "a key has a place");
    check_tree(document, member.value);
  }
}

void check(const loadfactor::Result<config::Document>& document) {
  if (document)
    check_tree(*document, document->root);
  else
    check_error(document.error());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check(config::parse_yaml("fuzz.yaml", text));
  check(config::parse_foreign_yaml("fuzz.yaml", text));
  check(config::parse_json("fuzz.json", text));
  Diagnostics diagnostics;
  const auto table = config::parse_csv("fuzz.csv", text, diagnostics);
  for (const Error& error : diagnostics.errors()) check_error(error);
  if (table) {
    for (const auto& row : table->rows)
      LF_CHECK(row.size() == table->header.size(), "rows are as long as the header");
  } else {
    check_error(table.error());
  }
  return 0;
}

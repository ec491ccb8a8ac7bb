#include "catalog/glossary_loader.h"

#include <string>

#include "base/error_codes.h"
#include "catalog/entry_reader.h"
#include "config/reader.h"

namespace loadfactor::catalog {

using config::MapReader;

std::vector<Term> load_glossary(const DataFile& file, Diagnostics& diagnostics) {
  std::vector<Term> terms;
  const auto document = open_entry(file, diagnostics);
  if (!document) return terms;
  MapReader reader(*document, document->root, "glossary", diagnostics);
  if (reader.text("schema") != "glossary/1")
    reader.report("schema", lf::kWrongSchema, "this is not a glossary", "write schema: glossary/1");
  const config::Node* list = reader.node("terms");
  reader.finish();
  if (list == nullptr) return terms;
  for (const auto& member : list->members) {
    MapReader entry(*document, member.value, member.key, diagnostics);
    terms.push_back({member.key, entry.text("definition"), entry.text("formula"), entry.text("unit")});
    entry.finish();
  }
  return terms;
}

}  // namespace loadfactor::catalog

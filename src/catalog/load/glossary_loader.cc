#include "catalog/load/glossary_loader.h"

#include <string>

#include "base/error_codes.h"
#include "catalog/load/entry_reader.h"
#include "config/reader.h"

namespace loadfactor::catalog {

using config::MapReader;

void load_glossary(const DataFile& file, std::vector<GlossaryTerm>& terms,
                   Diagnostics& diagnostics) {
  const auto document = open_entry(file, diagnostics);
  if (!document) return;
  MapReader reader(*document, document->root, "glossary", diagnostics);
  if (reader.text("schema") != "glossary/1")
    reader.report("schema", lf::kWrongSchema, "this is not a glossary", "write schema: glossary/1");
  auto list = reader.map("terms");
  const config::Node* node = reader.node("terms");
  reader.finish();
  if (!list || node == nullptr) return;
  for (const auto& member : node->members) {
    auto entry = list->map(member.key);
    if (!entry) continue;
    GlossaryTerm term{member.key, entry->text("definition"), entry->text("formula"),
                      entry->text("unit")};
    entry->finish();
    std::erase_if(terms, [&term](const GlossaryTerm& old) { return old.name == term.name; });
    terms.push_back(std::move(term));
  }
}

}  // namespace loadfactor::catalog

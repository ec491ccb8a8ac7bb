// Lists of the catalogue, one per noun, filtered by a word.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/value.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

// The nouns that find_entries() knows: gpus, models, nodes, links, engines, regions, rent,
// instances, capex, api, sources.
std::vector<std::string> catalog_nouns();
struct NounMeaning {
  std::string_view noun;
  std::string_view meaning;  // "Accelerators".
};
std::vector<NounMeaning> noun_meanings();

// Entries of a noun, as they are described.
struct CatalogAnswer {
  std::string noun;
  std::string match;      // What was looked for; empty: everything.
  Value::List entries;    // Those that have it.
  std::size_t known = 0;  // All entries of the noun.
};

// The entries of which a text contains `match` (case ignored). Nothing for an unknown noun.
std::optional<CatalogAnswer> find_entries(const catalog::Catalog& catalog, std::string_view noun,
                                          std::string_view match);

std::string catalog_text(const CatalogAnswer& answer, int width, bool colour);
std::string catalog_markdown(const CatalogAnswer& answer);
std::string catalog_json(const CatalogAnswer& answer);
std::string catalog_csv(const CatalogAnswer& answer);

AnswerSchema catalog_schema();

}  // namespace loadfactor::report

// Lists of the catalogue, one table per noun, filtered by a word.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"
#include "catalog/catalog.h"

namespace loadfactor::report {

// The nouns that list() knows: gpus, models, nodes, links, engines, regions, rent, capex, api,
// sources.
std::vector<std::string> catalog_nouns();

// The entries of a noun whose row contains `match` (case ignored). Nothing for an unknown noun.
std::optional<Table> list_catalog(const catalog::Catalog& catalog, std::string_view noun,
                                  std::string_view match);

}  // namespace loadfactor::report

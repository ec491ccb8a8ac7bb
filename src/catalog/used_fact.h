// Entries of the catalogue as the facts that an answer rests on.
#pragma once

#include <string>
#include <string_view>

#include "catalog/spec/fact_table.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/estimate.h"

namespace loadfactor::catalog {

// "memory of h100-sxm".
std::string fact_name(std::string_view id, std::string_view entry);

// The figure `id` of an entry.
UsedFact used_fact(std::string_view id, std::string_view entry, const Provenance& from,
                   std::string value = {});

// A row of a table of facts; its name is the id.
UsedFact used_fact(const Fact& row);

}  // namespace loadfactor::catalog

#include "catalog/load/fact_loader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "base/error_codes.h"
#include "catalog/load/table_reader.h"

namespace loadfactor::catalog {
namespace {

constexpr std::array<std::string_view, 9> kFacilityColumns{
    "parameter", "variant", "typical", "low", "high", "unit", "kind", "source", "as_of"};
constexpr std::array<std::string_view, 7> kHazardColumns{"fact",  "value",  "unit", "kind",
                                                         "as_of", "source", "note"};
constexpr config::Range kAnyFinite{-1e18, 1e18};

Fact read_facility(RowReader& row) {
  Fact fact;
  fact.name = row.text("parameter");
  fact.variant = row.maybe_text("variant");
  fact.value = row.number("typical", kAnyFinite);
  fact.low = row.maybe_number("low", kAnyFinite);
  fact.high = row.maybe_number("high", kAnyFinite);
  fact.unit = row.text("unit");
  row.check_bounds("typical", fact.value, fact.low, fact.high);
  fact.provenance = row.provenance("as_of");
  return fact;
}

Fact read_hazard(RowReader& row) {
  Fact fact;
  fact.name = row.text("fact");
  fact.value = row.number("value", kAnyFinite);
  fact.unit = row.text("unit");
  fact.note = row.maybe_text("note");
  fact.provenance = row.provenance("as_of");
  return fact;
}

void load_facts(const DataFile& file, std::span<const std::string_view> columns,
                Fact (*read)(RowReader&), std::vector<Fact>& facts, Diagnostics& diagnostics) {
  const auto table = open_table(file, columns, diagnostics);
  if (!table) return;
  std::map<std::pair<std::string, std::string>, Fact> added;
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    RowReader reader(*table, i, diagnostics);
    Fact fact = read(reader);
    if (!reader.good()) continue;
    if (!added.try_emplace({fact.name, fact.variant}, fact).second) {
      reader.report(columns.front(), lf::kDuplicateName, in_quotes(fact.name) + " stands twice",
                    "keep one, or tell them apart by a variant");
    }
  }
  for (auto& fact : facts) {
    added.try_emplace(std::pair(fact.name, fact.variant), std::move(fact));
  }
  facts.clear();
  for (auto& [key, fact] : added) facts.push_back(std::move(fact));
}

}  // namespace

void load_facility(const DataFile& file, std::vector<Fact>& facts, Diagnostics& diagnostics) {
  load_facts(file, kFacilityColumns, read_facility, facts, diagnostics);
}

void load_hazards(const DataFile& file, std::vector<Fact>& facts, Diagnostics& diagnostics) {
  load_facts(file, kHazardColumns, read_hazard, facts, diagnostics);
}

const Fact* find_fact(const std::vector<Fact>& facts, std::string_view name,
                      std::string_view variant) {
  const auto found = std::find_if(facts.begin(), facts.end(), [&](const Fact& fact) {
    return fact.name == name && fact.variant == variant;
  });
  return found == facts.end() ? nullptr : &*found;
}

}  // namespace loadfactor::catalog

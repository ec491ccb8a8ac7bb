#include "catalog/validators/catalog_validator.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/error_codes.h"
#include "catalog/index/data_folder.h"
#include "catalog/index/entry_finder.h"
#include "catalog/validators/accelerator_validator.h"
#include "catalog/validators/engine_validator.h"
#include "catalog/validators/entry_check.h"
#include "catalog/validators/fabric_validator.h"
#include "catalog/validators/model_validator.h"
#include "catalog/validators/node_validator.h"
#include "catalog/validators/price_validator.h"
#include "catalog/validators/region_validator.h"

namespace loadfactor::catalog {
namespace {

bool in_scope(const DataFile& file, CheckScope scope) {
  return scope == CheckScope::kEverything || file.origin == Origin::kOverlay;
}

bool in_scope(const std::vector<const DataFile*>& files, CheckScope scope) {
  return std::any_of(files.begin(), files.end(),
                     [scope](const DataFile* file) { return in_scope(*file, scope); });
}

void check_places(const Shelves& shelves, CheckScope scope, Diagnostics& diagnostics) {
  for (const auto& file : shelves.files) {
    if (!in_scope(file, scope) || noun_of(file.path)) continue;
    diagnostics.add(Error{.code = lf::kStrayFile,
                          .message = "the catalogue has no place for '" + file.path + "'",
                          .hint = "entries are .yaml files under models/, regions/ or hardware/; "
                                  "tables are prices/rent.csv and the like",
                          .where = {file.shown_as, 0, 0, 0}});
  }
}

template <typename Spec>
void check_clashes(const Shelf<Spec>& shelf, CheckScope scope, const EntryCheck& check) {
  for (const auto& clash : shelf.clashes()) {
    const DataFile& file = shelf.file(clash.entry);
    const DataFile& owner = shelf.file(clash.owner);
    if (!in_scope(file, scope) && !in_scope(owner, scope)) continue;
    check.report(
        {.file = file.shown_as, .line = 1}, clash.name,
        Error{.code = lf::kAmbiguousName,
              .message = "'" + clash.name + "' already means " + shelf.names()[clash.owner],
              .hint = "take it out of one of the two"});
  }
}

// The quick look at names must see what the parser sees, or a name would depend on its spelling.
template <typename Spec>
void check_aliases(const Shelf<Spec>& shelf, std::size_t entry,
                   const std::vector<std::string>& read, const EntryCheck& check) {
  const DataFile& file = shelf.file(entry);
  if (scan_aliases(file.text) == read) return;
  check.report({.file = file.shown_as, .line = 1}, "aliases",
               Error{.code = lf::kWrongType,
                     .message = "aliases are one list in brackets, of plain names",
                     .hint = "write 'aliases: [first, second]' at the start of a line"});
}

// Errors of a file that could not be read make errors of its rules; one set is enough.
template <typename Spec>
void check_shelf(const Shelf<Spec>& shelf, CheckScope scope, const EntryCheck& check,
                 Diagnostics& diagnostics) {
  check_clashes(shelf, scope, check);
  for (std::size_t i = 0; i < shelf.size(); ++i) {
    if (!in_scope(shelf.file(i), scope)) continue;
    const std::size_t before = diagnostics.size();
    const Spec& spec = shelf.read(i, diagnostics);
    if (diagnostics.size() > before) continue;
    if constexpr (requires { spec.aliases; }) check_aliases(shelf, i, spec.aliases, check);
    validate(spec, check);
  }
}

void check_facts(const LazyTable<std::vector<Fact>>& table, CheckScope scope,
                 const EntryCheck& check, Diagnostics& diagnostics) {
  if (!in_scope(table.files(), scope)) return;
  for (const auto& fact : table.read(diagnostics)) {
    check.check_provenance(fact.provenance, fact.name);
  }
}

void check_lineup(const Shelves& shelves, CheckScope scope, Diagnostics& diagnostics) {
  if (!in_scope(shelves.lineup.files(), scope)) return;
  const Lineup& lineup = shelves.lineup.read(diagnostics);
  std::vector<std::string> names = lineup.compare;
  names.push_back(lineup.standard);
  for (const auto& name : names) {
    if (shelves.accelerators.has(name)) continue;
    Error error =
        unknown_name(lf::kUnknownAccelerator, "accelerator", name, shelves.accelerators.names());
    error.where.file = shelves.lineup.files().back()->shown_as;
    diagnostics.add(std::move(error));
  }
  std::vector<std::string> engines = lineup.engines.compare;
  for (const auto* name : {&lineup.engines.standard, &lineup.engines.steps}) {
    if (!name->empty()) engines.push_back(*name);
  }
  for (const auto& name : engines) {
    if (shelves.engines.has(name)) continue;
    Error error = unknown_name(lf::kUnknownEngine, "engine", name, shelves.engines.names());
    error.where.file = shelves.lineup.files().back()->shown_as;
    diagnostics.add(std::move(error));
  }
}

// A user's engine may break ours: one file takes the place of another.
void check_engines(const Shelves& shelves, CheckScope scope, const EntryCheck& check,
                   Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  check_shelf(shelves.engines, scope, check, diagnostics);
  bool is_asked = false;
  for (std::size_t i = 0; i < shelves.engines.size(); ++i)
    is_asked = is_asked || in_scope(shelves.engines.file(i), scope);
  if (is_asked && diagnostics.size() == before) validate_generations(check);
}

}  // namespace

void validate(const Shelves& shelves, CheckScope scope, std::string_view today,
              Diagnostics& diagnostics) {
  const EntryCheck check(shelves, today, diagnostics);
  check_places(shelves, scope, diagnostics);
  if (in_scope(shelves.sources.files(), scope)) shelves.sources.read(diagnostics);
  check_shelf(shelves.accelerators, scope, check, diagnostics);
  check_shelf(shelves.nodes, scope, check, diagnostics);
  check_shelf(shelves.fabrics, scope, check, diagnostics);
  check_shelf(shelves.models, scope, check, diagnostics);
  check_shelf(shelves.regions, scope, check, diagnostics);
  check_engines(shelves, scope, check, diagnostics);
  if (in_scope(shelves.glossary.files(), scope)) shelves.glossary.read(diagnostics);
  check_lineup(shelves, scope, diagnostics);
  if (in_scope(shelves.prices.files(), scope)) validate(shelves.prices.read(diagnostics), check);
  check_facts(shelves.facility, scope, check, diagnostics);
  check_facts(shelves.hazards, scope, check, diagnostics);
}

}  // namespace loadfactor::catalog

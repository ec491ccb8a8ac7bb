#include "facade/tools/catalogue.h"

#include <algorithm>
#include <variant>

#include "catalog/load/embedded_file.h"
#include "config/reading/scenario_reader.h"
#include "demand/read/import.h"
#include "engine/core.h"

namespace loadfactor::facade {
namespace {

// Names that the catalogue does not have, where they stand.
void check_names(const catalog::Catalog& catalog, const config::Scenario& scenario,
                 Diagnostics& diagnostics) {
  const auto refuse = [&](const Error& error, config::Position at) {
    diagnostics.add(scenario.error(error.code, at, error.message, error.hint));
  };
  for (const auto& chip : scenario.hardware) {
    const auto found = catalog.find_accelerator(chip.value);
    if (!found) refuse(found.error(), chip.position);
  }
  const config::ModelSection& model =
      scenario.serve ? scenario.serve->model : scenario.train->model;
  const auto* named = std::get_if<config::CatalogModel>(&model.model);
  if (named == nullptr) return;
  const auto found = catalog.find_model(named->name.value);
  if (!found) refuse(found.error(), named->name.position);
}

}  // namespace

CatalogueCounts count_catalogue(const Engine& engine) {
  const auto& catalog = engine::Core::behind(engine).catalog();
  return {.accelerators = catalog.accelerators().size(),
          .nodes = catalog.nodes().size(),
          .links = catalog.fabrics().size(),
          .models = catalog.models().size(),
          .engines = catalog.engines().size(),
          .rents = catalog.prices().rent.size(),
          .api_prices = catalog.prices().api.size(),
          .regions = catalog.regions().size()};
}

CatalogueNames count_names(const Engine& engine) {
  const auto& catalog = engine::Core::behind(engine).catalog();
  return {catalog.accelerator_names().size(), catalog.model_names().size()};
}

std::string shipped_text(std::string_view path) {
  const auto files = catalog::embedded_files();
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.path == path; });
  return found == files.end() ? std::string() : std::string(found->begin, found->end);
}

Diagnostics check_scenario(const Engine& engine, const std::string& name, const std::string& text) {
  Diagnostics diagnostics;
  const auto scenario = config::parse_scenario(name, text, {}, diagnostics);
  if (scenario) check_names(engine::Core::behind(engine).catalog(), *scenario, diagnostics);
  return diagnostics;
}

Result<bool> has_lengths(const std::string& path, std::string_view bytes) {
  TRY(const auto import, demand::import_demand(path, bytes));
  if (const auto* profile = std::get_if<demand::RateProfile>(&import.data))
    return profile->mean_input > Tokens() && profile->mean_output > Tokens();
  return true;
}

}  // namespace loadfactor::facade

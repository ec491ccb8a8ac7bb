// Which model, chip and engine generation a scenario's `serve` section names.
#include <algorithm>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "catalog/import/model_folder.h"
#include "resolve/model/model_shape.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/generation.h"

namespace loadfactor::engine {
namespace {

void add_at(SimulateSetup& setup, config::Position place, const Error& error,
            Diagnostics& diagnostics) {
  Error placed = setup.error(error.code, place, error.message, error.hint);
  placed.notes = error.notes;
  diagnostics.add(placed);
}

void describe(SimulateSetup& setup, catalog::ModelSpec model) {
  setup.described = std::make_shared<const catalog::ModelSpec>(std::move(model));
  setup.model = setup.described.get();
}

void import_files(SimulateSetup& setup, const config::ModelConfigFile& file,
                  Diagnostics& diagnostics) {
  if (setup.files.model_files.empty())
    return diagnostics.add(setup.error(lf::kCannotRead, file.path.position,
                                       fmt::format("'{}' was not read", file.path.value)));
  catalog::ModelFolder folder;
  for (const auto& part : setup.files.model_files)
    folder.files[part.name] = {part.text, part.size, part.shown_as};
  Diagnostics problems;
  auto imported = catalog::import_model_folder(folder, problems);
  diagnostics.add_all(problems);
  if (imported) describe(setup, std::move(imported->spec));
}

void choose_model(SimulateSetup& setup, Diagnostics& diagnostics) {
  const auto& model = setup.ask().model.model;
  if (const auto* named = std::get_if<config::CatalogModel>(&model)) {
    const auto found = setup.catalog->find_model(named->name.value);
    if (!found) return add_at(setup, named->name.position, found.error(), diagnostics);
    setup.model = *found;
  } else if (const auto* file = std::get_if<config::ModelConfigFile>(&model)) {
    import_files(setup, *file, diagnostics);
  } else if (const auto* size = std::get_if<config::ModelSize>(&model)) {
    describe(setup, model_of_size(size->params.value, size->active ? size->active->value : 0));
    setup.note("assumed-shape", "only the model's size is given: a usual shape is assumed",
               Severity::kCaution);
  } else {
    describe(setup, model_of_dimensions(std::get<config::ModelDimensions>(model)));
  }
}

void choose_chip(SimulateSetup& setup, Diagnostics& diagnostics) {
  const auto& deployment = setup.ask().deployment;
  std::string name = setup.catalog->lineup().standard;
  config::Position place = setup.ask().position;
  if (deployment && deployment->decode && deployment->decode->gpu) {
    name = deployment->decode->gpu->value;
    place = deployment->decode->gpu->position;
  } else if (deployment && deployment->pool.gpu) {
    name = deployment->pool.gpu->value;
    place = deployment->pool.gpu->position;
  } else if (!setup.scenario.hardware.empty()) {
    name = setup.scenario.hardware.front().value;
    place = setup.scenario.hardware.front().position;
  } else {
    setup.note("default-accelerator", fmt::format("{} assumed; `hardware` names another", name));
  }
  const auto found = setup.catalog->find_accelerator(name);
  if (!found) return add_at(setup, place, found.error(), diagnostics);
  setup.chip = *found;
}

void choose_engine(SimulateSetup& setup, Diagnostics& diagnostics) {
  const auto& deployment = setup.ask().deployment;
  const bool is_named = deployment && deployment->engine.has_value();
  const auto found = setup.catalog->find_engine(
      is_named ? deployment->engine->value : setup.catalog->lineup().engines.standard);
  if (!found) return add_at(setup, deployment->engine->position, found.error(), diagnostics);
  if (setup.chip == nullptr) return;
  setup.engine = *found;
  const std::string release = release_of(setup.ask());
  const auto traits = serving::generation_of(*setup.catalog, *setup.engine, release, *setup.chip);
  if (!traits) return diagnostics.add(traits.error());
  setup.traits = *traits;
  if (auto remark = serving::release_remark(*setup.engine, release, **traits))
    setup.note("unknown-release", *std::move(remark), Severity::kCaution);
  if (auto remark = serving::borrowed_remark(setup.calibration, **traits))
    setup.note("borrowed-engine", *std::move(remark), Severity::kCaution);
  if (setup.traits->whole_batches)
    diagnostics.add(setup.error(
        lf::kUnsoundRules, deployment->engine->position,
        fmt::format("{} is not simulated: the next batch waits for the whole one before, and the "
                    "simulator lets requests join at every step",
                    (*found)->title),
        "`serve` without --simulate has its closed form; or name an engine such as vllm"));
  if (!is_named)
    setup.note("default-engine",
               fmt::format("engine {} assumed; deployment.engine names another", (*found)->title));
}

}  // namespace

bool choose_simulated_model(SimulateSetup& setup, Diagnostics& diagnostics) {
  choose_model(setup, diagnostics);
  choose_chip(setup, diagnostics);
  choose_engine(setup, diagnostics);
  return diagnostics.empty();
}

}  // namespace loadfactor::engine

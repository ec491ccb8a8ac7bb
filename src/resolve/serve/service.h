// A service as every verb sees it: names resolved, formats and settings chosen, each choice once.
//
// `serve`, `serve --simulate`, `serve --search`, `fill`, `cost` and `plan` all start here, so that
// a scenario means the same model, formats, chip, engine and limits whoever asks. Which layout a
// replica gets is in service_layout.h.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "calibrate/site/site_serving.h"
#include "catalog/catalog.h"
#include "loadfactor/fit.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "serving/calibration_file.h"
#include "serving/hardware.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

// What every serving prediction rests on, read once for many questions. One thread at a time.
struct ServingModels {
  serving::ServingCalibration calibration;
  std::shared_ptr<serving::HardwareShelf> hardware;
};
// Nothing, and the reasons, where a file of a user's is wrong.
std::shared_ptr<ServingModels> read_serving_models(const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics);

// Which replicas of a deployment: those of its only pool or of its decodes, or those of its
// prompts.
enum class Side : std::uint8_t { kDecode, kPrefill };

struct Service {
  const catalog::Catalog* catalog = nullptr;
  config::Scenario scenario;
  std::shared_ptr<ServingModels> models;
  std::shared_ptr<const catalog::ModelSpec> described;  // Owns a model that no catalogue has.
  const catalog::ModelSpec* model = nullptr;
  double seen = 0;  // Share of the tokens of prompts that the model's encoder makes.
  const catalog::AcceleratorSpec* chip = nullptr;         // The answer pool's.
  const catalog::AcceleratorSpec* prompt_chip = nullptr;  // The prompt pool's.
  const catalog::EngineSpec* engine = nullptr;
  const serving::EngineTraits* traits = nullptr;  // The engine's generation on the chip.
  std::optional<calibrate::ServingSite> site;     // What this chip and engine were measured at.
  serving::Constants constants;                   // With what the site has measured of this chip.
  serving::Constants unmeasured;                  // As they are shipped.
  // With what the site has measured of the other candidates: one chip says nothing of another.
  std::map<const catalog::AcceleratorSpec*, serving::Constants> other_constants;
  std::vector<Notice> notices;

  const config::ServeSection& ask() const { return *scenario.serve; }
  const config::Operations& operations() const;
  bool is_split() const { return ask().deployment && ask().deployment->prefill; }
  // What the scenario writes of a pool; what it writes of the deployment holds for both pools.
  config::Pool asked_pool(Side side) const;
  const catalog::AcceleratorSpec& chip_of(Side side) const {
    return side == Side::kPrefill ? *prompt_chip : *chip;
  }
  const serving::ServingCalibration& calibration() const { return models->calibration; }
  serving::HardwareShelf& hardware() const { return *models->hardware; }
  // With what the site has measured of a chip, where it is a candidate; else as shipped.
  const serving::Constants& constants_on(const catalog::AcceleratorSpec& other) const;
  // The engine's generation on another chip.
  Result<const serving::EngineTraits*> traits_on(const catalog::AcceleratorSpec& other) const;

  Error error(int code, config::Position at, std::string message, std::string hint = {}) const {
    return scenario.error(code, at, std::move(message), std::move(hint));
  }
  // The same fault, pointing at a value.
  Error placed(const Error& fault, config::Position at) const;
  // Says it once, however often it is chosen.
  void note(Notice notice);
  // Takes a notice back that turned out not to be so.
  void forget(std::string_view id);
  void note(std::string id, std::string text, Severity severity = Severity::kNote);
};

// Resolves the names of a service whose scenario, catalogue and models are set. Reports everything
// that is wrong with them at its place in the file: unknown models, chips and engines, formats that
// do not exist (LF105), limits an engine does not start with (LF521), degrees that do not divide
// (LF102), lengths beyond the model's context (LF104).
bool resolve_service(Service& service, const std::vector<ModelFile>& model_files,
                     Diagnostics& diagnostics);

// Says which written keys act on single requests, for verbs that see means alone.
void note_simulated_keys(Service& service);

// LF504 with what to add where the scenario serves nothing.
bool check_serves(const Service& service, Diagnostics& diagnostics);

// A replica of a pool on a chip, all but its layout: formats, batch limits, memory fraction and
// what runs beside the model. `precision` empty: the scenario's, else as the checkpoint is stored.
Result<serving::ReplicaChoice> replica_on(const Service& service, Side side,
                                          const catalog::AcceleratorSpec& chip,
                                          const std::string& precision = {});

// The promises of a service, for requests of these mean lengths.
serving::ServicePromise service_of(const Service& service, double input, double output);

std::string release_of(
    const config::ServeSection& ask);  // The engine's; empty where none is named.
// The engine as people call it, with the release where the scenario names one.
std::string engine_words(const catalog::EngineSpec& engine, const config::ServeSection& ask);

}  // namespace loadfactor::engine

// From a scenario's words to what serving needs: names resolved, defaults chosen.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/site/site_serving.h"
#include "catalog/catalog.h"
#include "loadfactor/result.h"
#include "loadfactor/scenario.h"
#include "loadfactor/serve.h"
#include "serving/calibration_file.h"
#include "serving/closed_form.h"
#include "serving/hardware.h"
#include "serving/memory.h"
#include "serving/precision.h"

namespace loadfactor::engine {

// Which replicas of a deployment: those of its only pool or of its decodes, or those of its
// prompts.
enum class Side : std::uint8_t { kAnswers, kPrompts };

// Immovable: parts point at one another.
struct ServeSetup {
  config::Scenario scenario;
  serving::ServingCalibration calibration;
  serving::Constants constants;
  std::unique_ptr<serving::HardwareShelf> hardware;
  std::shared_ptr<const catalog::ModelSpec> described;  // Owns a model that no catalogue has.
  const catalog::ModelSpec* model = nullptr;
  const catalog::AcceleratorSpec* chip = nullptr;
  const catalog::EngineSpec* engine = nullptr;
  const serving::EngineTraits* traits = nullptr;
  serving::PrecisionChoice precision;
  std::string precision_word;
  serving::ServingLayout layout;
  serving::ServingSetup memory_setup;
  serving::DeploymentMemory memory;
  std::unique_ptr<serving::StepModel> step;
  std::optional<calibrate::ServingSite> site;  // What this chip and engine were measured at.
  double tokens_in = 1000;
  double tokens_out = 200;
  Side side = Side::kAnswers;
  std::vector<Notice> notices;

  const config::ServeAsk& ask() const { return *scenario.serve; }
  config::Operations operations() const {
    return ask().deployment ? ask().deployment->operations : config::Operations{};
  }
  config::Pool asked_pool() const {
    if (!ask().deployment) return {};
    const config::Deployment& deployment = *ask().deployment;
    if (!deployment.prefill) return deployment.pool;
    config::Pool pool = side == Side::kPrompts ? *deployment.prefill : *deployment.decode;
    if (!pool.gpu) pool.gpu = deployment.pool.gpu;
    return pool;
  }
  Error error(int code, config::Position at, std::string message, std::string hint = {}) const {
    return scenario.error(code, at, std::move(message), std::move(hint));
  }
  void note(std::string id, std::string text, Severity severity = Severity::kNote) {
    notices.push_back({std::move(id), severity, std::move(text)});
  }
};

std::string release_of(const config::ServeAsk& ask);  // Of the engine; empty where none is named.
// The engine as people call it, with the release where the scenario names one.
std::string engine_words(const catalog::EngineSpec& engine, const config::ServeAsk& ask);
// LF101: the weights of adapters take what is left of a GPU's memory.
Error adapters_fault(Bytes adapters);
// What to do where a scenario gives the engine less memory than it would take.
std::optional<std::string> lowered_fraction(const config::Operations& operations,
                                            const catalog::EngineSpec& engine);
serving::Speculation speculation_of(const config::Operations& operations);
serving::Adapters adapters_of(const config::Operations& operations);

// Reports everything that is wrong with the scenario, at its place in the file: LF101 where the
// weights or one sequence do not fit, LF102 for degrees that do not divide, LF104 for a context
// beyond the model's.
std::unique_ptr<ServeSetup> make_serve_setup(const ServeRequest& request,
                                             const catalog::Catalog& catalog,
                                             Diagnostics& diagnostics, Side side = Side::kAnswers);

// One replica of the deployment as the closed form sees it; slots for the asked lengths.
serving::Pool make_pool(const ServeSetup& setup, int replicas,
                        std::optional<std::int64_t> kv_tokens);

// What is wrong with splitting the heads of a model over tp ranks: an error with its code, or, with
// code 0, a remark that key-value heads are copied; nothing where both divide.
struct HeadFault {
  int code = 0;
  std::string message;
  std::string hint;
};
HeadFault find_head_fault(const catalog::ModelSpec& model, int tp);

// Why a model cannot be cut so, whatever the chip: more stages than layers, experts that ep does
// not divide, or ep without experts.
HeadFault find_cut_fault(const catalog::ModelSpec& model, const serving::ServingLayout& layout);

}  // namespace loadfactor::engine

// Services of tests on the shipped catalogue, as the verbs resolve them.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/load/data_file.h"
#include "config/reading/testing/sound.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/simulate_setup.h"

namespace loadfactor::engine::testing {

inline const catalog::Catalog& shipped() {
  static const catalog::Catalog catalog = [] {
    Diagnostics diagnostics;
    auto opened = catalog::Catalog::open(catalog::builtin_files(), diagnostics);
    EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
    return opened;
  }();
  return catalog;
}

inline const catalog::ModelSpec& model_of(const char* name) {
  return **shipped().find_model(name);
}
inline const catalog::AcceleratorSpec& chip_of(const char* name) {
  return **shipped().find_accelerator(name);
}

// What a test writes of a service; what is left empty is left out.
struct Scene {
  std::string model = "llama-3.1-8b";
  std::string demand = "{requests_per_second: 4, tokens_in: 1000, tokens_out: 200}";
  std::string deployment = "{gpu: h100-sxm, engine: vllm, tp: 1, replicas: 1}";
  std::string slo;
  std::string beside;  // Other keys of the section, indented by two.
  std::string more;    // Other sections.

  config::Scenario scenario() const {
    std::string text = "loadfactor: 1\nname: scene\nserve:\n  model: " + model + "\n";
    if (!demand.empty()) text += "  demand: " + demand + "\n";
    if (!slo.empty()) text += "  slo: " + slo + "\n";
    if (!deployment.empty()) text += "  deployment: " + deployment + "\n";
    return config::testing::sound(text + beside + more, {}, "scene.yaml");
  }
};

template <typename Setup>
struct Resolved {
  Setup setup;  // A pointer; nothing where something is wrong.
  Diagnostics problems;

  auto* operator->() const { return setup.operator->(); }
  int code() const { return problems.empty() ? 0 : problems.errors()[0].code; }
  std::string refusal() const { return render(problems); }
};

inline bool notes(const Service& service, std::string_view id) {
  return std::any_of(service.notices.begin(), service.notices.end(),
                     [&](const Notice& notice) { return notice.id == id; });
}
// An argument of a notice; "none" where there is none.
inline std::string told(const Service& service, std::string_view id, std::string_view name) {
  for (const Notice& notice : service.notices) {
    if (notice.id != id) continue;
    for (const auto& argument : notice.arguments)
      if (argument.name == name) return argument.text;
  }
  return "none";
}

inline Resolved<std::unique_ptr<ServeSetup>> served(const Scene& scene,
                                                    const catalog::Catalog& catalog = shipped(),
                                                    const std::string& trace = {}) {
  Resolved<std::unique_ptr<ServeSetup>> result;
  ServeInputs request;
  request.scenario = scene.scenario();
  request.trace_bytes = trace;
  result.setup = make_serve_setup(request, catalog, result.problems);
  return result;
}

struct Simulated {
  std::vector<std::unique_ptr<SimulateSetup>> setups;  // One for each model; none if wrong.
  Diagnostics problems;

  const SimulateSetup* operator->() const { return setups.front().get(); }
  SimulateSetup& operator*() const { return *setups.front(); }
  int code() const { return problems.empty() ? 0 : problems.errors()[0].code; }
};

inline Simulated simulated(const Scene& scene, SimulateInputs request = {}) {
  Simulated result;
  request.scenario = scene.scenario();
  result.setups = make_simulate_setups(request, shipped(), result.problems);
  return result;
}

}  // namespace loadfactor::engine::testing

// What a target writes of a scenario that stands in a test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/reading/scenario_reader.h"
#include "engine/launch/launch_plan.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"

namespace loadfactor::engine::testing {

struct Emitted {
  std::vector<launch::EmittedFile> files;
  std::string complaints;

  // The text of a file, or of all of them where none is named.
  std::string text(std::string_view path = "") const {
    std::string all;
    for (const auto& file : files)
      if (path.empty() || file.path == path) all += file.text;
    return all;
  }
  bool has(std::string_view words, std::string_view path = "") const {
    return text(path).find(words) != std::string::npos;
  }
};

inline Emitted emitted(const std::string& target, const std::string& text,
                       std::optional<int> spare = std::nullopt) {
  Emitted out;
  Diagnostics diagnostics;
  auto scenario = config::parse_scenario("case.yaml", text, {}, diagnostics);
  if (scenario && spare) {
    config::Slo slo;
    slo.spare = config::Placed<int>{*spare, {}};
    scenario->serve->slo = slo;
  }
  const auto plan =
      scenario ? make_launch_plan(shipped(), {.scenario = *scenario, .target = target}, diagnostics)
               : std::nullopt;
  if (plan)
    if (auto files = launch::emit(target, *plan, diagnostics)) out.files = *std::move(files);
  out.complaints = render(diagnostics);
  return out;
}

inline std::string run_of(const std::string& layout,
                          const std::string& framework = "megatron-core-2026",
                          const std::string& model = "llama-3.1-8b",
                          const std::string& gpu = "h100-sxm") {
  return fmt::format(
      "loadfactor: 1\nname: case\ntrain:\n  model: {}\n  precision: bf16\n  tokens: 10 B\n"
      "  sequence: 4096\n  global_batch: 64\n  layout: {{{}}}\n  stack: {{framework: {}}}\n"
      "hardware: [{}]\n",
      model, layout, framework, gpu);
}

inline std::string service_of(const std::string& deployment,
                              const std::string& model = "llama-3.3-70b",
                              const std::string& gpu = "h100-sxm") {
  return fmt::format(
      "loadfactor: 1\nname: case\nserve:\n  model: {}\n  precision: fp8\n  deployment: {{{}}}\n"
      "hardware: [{}]\n",
      model, deployment, gpu);
}

}  // namespace loadfactor::engine::testing

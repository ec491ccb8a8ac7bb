#include "sweep/run/fit_options.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace loadfactor::sweep {
namespace {

// Options of `fit`, and the keys of a service that say the same.
constexpr std::array<std::pair<const char*, const char*>, 10> kKeys{
    {{"model", "serve.model"},
     {"gpu", "serve.deployment.gpu"},
     {"tp", "serve.deployment.tp"},
     {"pp", "serve.deployment.pp"},
     {"ep", "serve.deployment.ep"},
     {"quant", "serve.precision"},
     {"kv", "serve.deployment.kv"},
     {"engine", "serve.deployment.engine"},
     {"chunk", "serve.deployment.chunk"},
     {"max-seqs", "serve.deployment.max_seqs"}}};

std::optional<double> number_of(const config::AnyValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* quantity = std::get_if<AnyQuantity>(&value)) return quantity->value;
  return std::nullopt;
}

}  // namespace

bool fit_reads(const std::string& key) {
  constexpr std::array kBeside{"train.model", "serve.model.config", "serve.demand.tokens_in",
                               "serve.demand.tokens_out", "hardware"};
  return std::any_of(kKeys.begin(), kKeys.end(),
                     [&](const auto& pair) { return key == pair.second; }) ||
         std::find(kBeside.begin(), kBeside.end(), key) != kBeside.end();
}

std::vector<Option> fit_options(const config::Scenario& scenario, const std::string& folder) {
  std::vector<Option> out;
  const auto add = [&out](const char* name, std::string text) {
    if (!text.empty()) out.push_back({name, {std::move(text)}, {}});
  };
  if (!scenario.serve) {
    add("model", config::to_text(scenario.value("train.model")));
  } else {
    for (const auto& [option, key] : kKeys) add(option, config::to_text(scenario.value(key)));
    const std::string file = config::to_text(scenario.value("serve.model.config"));
    if (!file.empty() && (out.empty() || out.front().name != "model"))
      add("model", file.starts_with('/') ? file : folder + file);
    // A sequence is its prompt and its answer.
    const auto in = number_of(scenario.value("serve.demand.tokens_in"));
    const auto answer = number_of(scenario.value("serve.demand.tokens_out"));
    if (in && answer) add("context", fmt::format("{:.0f}", std::ceil(*in + *answer)));
  }
  const bool has_gpu = std::any_of(out.begin(), out.end(),
                                   [](const Option& option) { return option.name == "gpu"; });
  const auto hardware = scenario.value("hardware");
  const auto* chips = std::get_if<std::vector<std::string>>(&hardware);
  if (!has_gpu && chips != nullptr && !chips->empty()) add("gpu", chips->front());
  return out;
}

}  // namespace loadfactor::sweep

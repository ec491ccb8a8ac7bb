#include "cli/calibrate/site_inputs.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "cli/session/files.h"
#include "cli/session/scenario_files.h"

namespace loadfactor::cli {
namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

Result<bool> read_file_into(const std::string& file, SiteInputs& inputs) {
  TRY(const auto text, read_file(file));
  TRY(auto measurement, calibrate::read_measurement(file, text));
  const auto take = [&](const auto& found) { append(inputs.notices, found.notices); };
  std::visit(take, measurement);
  if (auto* probe = std::get_if<calibrate::ProbeFile>(&measurement)) {
    inputs.probes.push_back(std::move(*probe));
  } else if (auto* log = std::get_if<calibrate::TrainingLog>(&measurement)) {
    inputs.steps.push_back({file, std::move(*log), {}});
  } else if (auto* points = std::get_if<calibrate::CollectiveFile>(&measurement)) {
    inputs.collectives.push_back(std::move(*points));
  } else if (const auto* runs = std::get_if<calibrate::ServingFile>(&measurement)) {
    for (const auto& point : runs->points) inputs.serving.push_back({file, point});
  }
  return true;
}

}  // namespace

Result<SiteInputs> read_site_inputs(const SiteFlags& flags) {
  SiteInputs inputs;
  for (const std::string& file : flags.files) {
    TRY([[maybe_unused]] const bool read, read_file_into(file, inputs));
  }
  for (const std::string& word : flags.step_times) {
    const auto time = parse_as<Dimension{.time = 1}>(word);
    if (!time || *time <= Seconds())
      return Error{.code = lf::kWrongUnit,
                   .message = fmt::format("'{}' is no time of a step", word),
                   .hint = "write `--step-time 12.3s`"};
    inputs.steps.push_back({"--step-time " + word, std::nullopt, *time});
  }
  return inputs;
}

bool read_site_scenarios(Session& session, const SiteFlags& flags, SiteInputs& inputs) {
  for (const std::string& file : flags.scenarios) {
    auto scenario = read_scenario(session, file);
    if (!scenario) return false;
    const bool serves = scenario->serve && !scenario->train;
    (serves ? inputs.serving_scenarios : inputs.training_scenarios).push_back(*std::move(scenario));
  }
  return true;
}

}  // namespace loadfactor::cli

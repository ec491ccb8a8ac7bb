#include "facade/calibrate/site_inputs.h"

#include <utility>
#include <variant>

#include "demand/read/byte_blocks.h"

namespace loadfactor::facade {
namespace {

template <class T>
void append(std::vector<T>& all, const std::vector<T>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

Result<bool> read_into(const InputFile& file, SiteInputs& inputs) {
  if (calibrate::is_profile(file.bytes)) {
    TRY(auto profile, calibrate::read_profile(file.shown(), file.bytes));
    inputs.profiles.push_back(std::move(profile));
    return true;
  }
  constexpr std::size_t kMostUnpacked = std::size_t{512} << 20U;
  TRY(const std::string text, demand::whole_text(file.shown(), file.bytes, kMostUnpacked));
  if (calibrate::is_nccl_debug(text) && !calibrate::read_training_log(file.shown(), text)) {
    TRY(auto network, calibrate::read_nccl_debug(file.shown(), text));
    inputs.networks.push_back(std::move(network));
    return true;
  }
  TRY(auto measurement, calibrate::read_measurement(file.shown(), text));
  const auto take = [&](const auto& found) { append(inputs.notices, found.notices); };
  std::visit(take, measurement);
  if (auto* probe = std::get_if<calibrate::ProbeFile>(&measurement)) {
    inputs.probes.push_back(std::move(*probe));
  } else if (auto* log = std::get_if<calibrate::TrainingLog>(&measurement)) {
    inputs.steps.push_back({file.shown(), std::move(*log), {}});
  } else if (auto* points = std::get_if<calibrate::CollectiveFile>(&measurement)) {
    inputs.collectives.push_back(std::move(*points));
  } else if (const auto* runs = std::get_if<calibrate::ServingFile>(&measurement)) {
    for (const auto& point : runs->points) inputs.serving.push_back({file.shown(), point});
  }
  return true;
}

}  // namespace

Result<SiteInputs> read_site_inputs(const SiteMeasurements& given, const std::string& today) {
  SiteInputs inputs;
  inputs.today = today;
  for (const InputFile& file : given.files) {
    TRY([[maybe_unused]] const bool read, read_into(file, inputs));
  }
  for (const Seconds time : given.step_times) inputs.steps.push_back({"", std::nullopt, time});
  for (const ScenarioWithFiles& about : given.scenarios) {
    const bool serves = about.scenario.serve && !about.scenario.train;
    (serves ? inputs.serving_scenarios : inputs.training_scenarios).push_back(about);
  }
  return inputs;
}

}  // namespace loadfactor::facade

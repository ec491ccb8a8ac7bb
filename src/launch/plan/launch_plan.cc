#include "launch/plan/launch_plan.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/source_text.h"

namespace loadfactor::launch {

namespace {

// A model that is described key by key stands where its description begins.
const config::ModelSection* model_at(const config::Scenario& scenario, std::string_view key) {
  if (key == "train.model" && scenario.train) return &scenario.train->model;
  if (key == "serve.model" && scenario.serve) return &scenario.serve->model;
  return nullptr;
}

// Who gave a key, or the first of those below a section.
config::Origin giver_of(const config::Scenario& scenario, std::string_view key) {
  config::Origin origin = scenario.origin(key);
  if (origin.giver != config::Giver::kDefault || scenario.source == nullptr) return origin;
  for (const config::WrittenValue& value : scenario.source->values)
    if (value.path.starts_with(key) && value.path.substr(key.size()).starts_with('.'))
      return scenario.origin(value.path);
  return origin;
}

}  // namespace

std::string LaunchPlan::from(std::string_view key, std::string_view otherwise) const {
  config::Origin origin = scenario.origin(key);
  if (origin.giver == config::Giver::kDefault)
    if (const auto* model = model_at(scenario, key)) origin = scenario.origin(model->position);
  if (origin.giver == config::Giver::kDefault) return std::string(otherwise);
  return config::to_text(origin);
}

Error LaunchPlan::inexpressible(std::string_view target, std::string_view key,
                                std::string_view value, std::string_view why) const {
  const config::Origin origin = giver_of(scenario, key);
  Error error{.code = lf::kInexpressible,
              .message = fmt::format("{} cannot express {}: {}", target, key, value),
              .hint = std::string(why),
              .where = origin.where};
  if (origin.giver == config::Giver::kFile && scenario.source != nullptr) {
    const config::LineIndex lines(scenario.source->text);
    if (origin.where.line >= 1 && origin.where.line <= lines.size())
      error.source_line = lines.line(scenario.source->text, origin.where.line);
  }
  return error;
}

}  // namespace loadfactor::launch

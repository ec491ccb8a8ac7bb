#include "launch/plan/launch_plan.h"

#include <fmt/format.h>

#include "base/error_codes.h"
#include "config/source_text.h"

namespace loadfactor::launch {

std::string LaunchPlan::from(std::string_view key, std::string_view otherwise) const {
  const config::Origin origin = scenario.origin(key);
  if (origin.giver == config::Giver::kDefault) return std::string(otherwise);
  return config::to_text(origin);
}

Error LaunchPlan::inexpressible(std::string_view target, std::string_view key,
                                std::string_view value, std::string_view why) const {
  const config::Origin origin = scenario.origin(key);
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

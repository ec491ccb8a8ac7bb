// The question of a plan with the files that its scenario names.
#pragma once

#include <optional>
#include <string>

#include "cli/session/mapped_file.h"
#include "cli/session/session.h"
#include "engine/plan/plan.h"

namespace loadfactor::cli {

struct PlanFiles {
  engine::PlanQuestion question;
  std::optional<MappedFile> trace;
};

Result<PlanFiles> read_plan_files(const Session& session, const std::string& scenario);

}  // namespace loadfactor::cli

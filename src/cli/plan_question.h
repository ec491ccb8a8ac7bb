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

// Nothing after errors that have been told.
std::optional<PlanFiles> read_plan_files(Session& session, const std::string& path);

}  // namespace loadfactor::cli

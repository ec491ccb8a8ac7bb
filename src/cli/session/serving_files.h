// The scenario of a service, with the files it names.
#pragma once

#include <optional>
#include <string>

#include "cli/session/mapped_file.h"
#include "cli/session/session.h"
#include "resolve/serve/serving_world.h"

namespace loadfactor::cli {

// A question and what its views point into.
struct ServingFiles {
  engine::ServingQuestion question;
  std::optional<MappedFile> trace;
};

// Reads the scenario, a model's config and a trace; paths are relative to the scenario. Nothing
// after errors that have been told.
std::optional<ServingFiles> read_serving_files(Session& session, const std::string& path);

}  // namespace loadfactor::cli

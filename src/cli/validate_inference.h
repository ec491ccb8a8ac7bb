// `loadfactor validate --inference` and `--steps` with inference steps.
#pragma once

#include <string>

#include "cli/session/session.h"
#include "config/csv.h"

namespace loadfactor::cli {

struct ValidateInferenceFlags {
  std::string file;     // Empty: what is known about the constants that ship.
  std::string weights;  // Empty: every row counts once.
};
void validate_inference(Session& session, const ValidateInferenceFlags& flags,
                        const std::string& format);

void validate_inference_steps(Session& session, const config::CsvTable& table,
                              const std::string& gpu, const std::string& format);

}  // namespace loadfactor::cli

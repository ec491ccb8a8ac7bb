// What `emit` and `read` answer, for people and for programs.
#pragma once

#include <string>

#include "engine/launch/launch_answers.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

// The files themselves; where they were written into a folder, a list of them.
std::string emit_text(const engine::EmitAnswer& answer, const std::string& folder);
std::string emit_markdown(const engine::EmitAnswer& answer);
std::string emit_json(const engine::EmitAnswer& answer, const std::string& file,
                      const std::string& folder);
std::string emit_csv(const engine::EmitAnswer& answer);
AnswerSchema emit_schema();

// The scenario.
std::string read_text(const engine::ReadAnswer& answer);
std::string read_json(const engine::ReadAnswer& answer);
std::string read_csv(const engine::ReadAnswer& answer);
AnswerSchema read_schema();

}  // namespace loadfactor::report

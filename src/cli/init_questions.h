// The five questions of `init`, and the commented scenario their answers make.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::cli {

struct Question {
  std::string_view flag;       // --model.
  std::string_view asked;      // "Which model?"
  std::string_view otherwise;  // What an empty answer means.
  std::string_view help;       // What may be written.
};

std::span<const Question> serve_questions();
std::span<const Question> train_questions();

// The scenario, commented. `answers` has one text per question.
std::string serve_scenario(const std::vector<std::string>& answers);
std::string train_scenario(const std::vector<std::string>& answers);

}  // namespace loadfactor::cli

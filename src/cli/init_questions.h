// The six questions of `init`, and the commented scenario their answers make.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/result.h"

namespace loadfactor::cli {

struct Prompt {
  std::string_view flag;       // `model`: without dashes.
  std::string_view asked;      // "Which model?"
  std::string_view otherwise;  // What an empty answer means.
  std::string_view help;       // What may be written.
};

std::span<const Prompt> serve_prompts();
std::span<const Prompt> train_prompts();

// Whether an answer names a file.
bool is_path(std::string_view text);

// "a, b" or "a b" as two texts; the second is empty where there is none.
std::array<std::string, 2> halves(const std::string& text, char separator);

// The scenario, commented. `answers` has one text per question; that of --tokens of a service is
// empty where a file says how long requests are.
std::string serve_scenario(const std::vector<std::string>& answers);
std::string train_scenario(const std::vector<std::string>& answers);

}  // namespace loadfactor::cli

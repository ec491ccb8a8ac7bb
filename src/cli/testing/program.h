// The program as tests run it: words in, exit status and both outputs out.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "cli/session/environment.h"

namespace loadfactor::cli::testing {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
  int parses = 0;  // How many scenarios were parsed.
};

inline Outcome loadfactor(std::vector<std::string> words) {
  std::ostringstream out;
  std::ostringstream err;
  Environment environment;
  environment.out = &out;
  environment.err = &err;
  environment.today = "2026-11-15";
  words.insert(words.begin(), "loadfactor");
  std::vector<const char*> arguments;
  for (const auto& word : words) arguments.push_back(word.c_str());
  const int status = run(static_cast<int>(arguments.size()), arguments.data(), environment);
  return {status, out.str(), err.str(), environment.scenarios->parses()};
}

}  // namespace loadfactor::cli::testing

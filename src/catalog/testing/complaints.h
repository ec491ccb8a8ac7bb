// What is wrong with an input, as a test can compare it: "11:LF202 13:LF502".
#pragma once

#include <string>

#include "loadfactor/result.h"

namespace loadfactor::catalog::testing {

inline std::string complaints(const Diagnostics& diagnostics) {
  std::string text;
  for (const auto& error : diagnostics.errors()) {
    text += (text.empty() ? "" : " ") + std::to_string(error.where.line) + ":LF" +
            std::to_string(error.code);
  }
  return text;
}

}  // namespace loadfactor::catalog::testing

// One question asked from Python: answered in a thread of its own, while the thread that asks
// listens for Ctrl-C and tells how far it is.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loadfactor/engine.h"

namespace loadfactor::python {

struct Asked {
  std::optional<Answer> answer;
  Style style;
  Diagnostics problems;  // Where there is no answer.
};

// Called every few milliseconds with the share that is done, negative before anything is known.
// Returns false, or throws, to stop the question.
using Listen = std::function<bool(double share)>;

// `question` is a text as of question_from_json, whose files may also be on disk; `folders` lie
// over the catalogue.
Asked ask(const std::string& question, const std::string& verb,
          const std::vector<std::string>& folders, const Listen& listen);

}  // namespace loadfactor::python

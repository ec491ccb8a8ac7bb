// Answers that are one text: a file that was made, an entry, a word explained.
#pragma once

#include <string>
#include <string_view>

#include "facade/body.h"

namespace loadfactor::facade {

struct TextAnswer {
  std::string text;
  bool is_csv = false;  // Then it is its own form as CSV.
};

// As a table it is the text; in JSON the text is `answer.text`.
Answer text_answer(std::string_view verb, TextAnswer answer, Beside beside = {});

}  // namespace loadfactor::facade

// A serving answer for people and for programs.
#pragma once

#include <string>

#include "loadfactor/serve.h"
#include "report/describe/envelope.h"

namespace loadfactor::report {

struct ServeStyle {
  int width = 80;
  bool explain = false;
};

// One line: what it delivers.
std::string serve_verdict(const ServeAnswer& answer);
std::string serve_text(const ServeAnswer& answer, const ServeStyle& style);
std::string serve_markdown(const ServeAnswer& answer);
std::string serve_csv(const ServeAnswer& answer);
std::string serve_json(const ServeAnswer& answer, const std::string& file);

AnswerSchema serve_schema();

}  // namespace loadfactor::report

// The machine-readable envelope of every answer: one shape, one order of keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/estimate.h"
#include "loadfactor/value.h"

namespace loadfactor::report {

// The question of verbs that read one scenario: its name and its file.
Value scenario_value(const std::string& name, const std::string& file);
Value scenario_schema();

Value envelope(std::string_view verb, Value question, Value answer,
               const std::vector<Notice>& notices, const std::vector<UsedFact>& facts);

// What `loadfactor schema NAME` prints of an answer.
struct AnswerSchema {
  std::string_view name;         // "simulate"
  std::string_view verb;         // "serve"
  std::string_view title;        // "Answer of `loadfactor serve --simulate`"
  std::string_view description;  // One sentence.
  Value question;
  Value answer;
  Value::Object definitions = {};  // Beside that of a quantity.
};
// The whole document as a JSON Schema.
Value document_schema(const AnswerSchema& schema);

}  // namespace loadfactor::report

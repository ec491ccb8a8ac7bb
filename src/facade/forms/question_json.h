// A question as JSON, as the web and other languages ask it:
// {"verb": "plan", "scenario": "<text>", "files": {"name": "text"}, "set": ["key=value"],
//  "options": {"draws": 256, "reproducible": true}}. Options are those of the command line without
// dashes; positional ones go by their names. `search` and `scale` are `train`, `simulate` and
// `size` are `serve`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "loadfactor/answer.h"
#include "loadfactor/question.h"

namespace loadfactor::facade {

struct AskedInJson {
  Question question;
  Style style;
};

// `verb` where the text has none. Nothing, and everything that is wrong with its place in the text,
// where it is no question.
std::optional<AskedInJson> read_question(const std::string& text, std::string_view verb,
                                         const Settings& settings, Diagnostics& diagnostics);

}  // namespace loadfactor::facade

// Keys, tokens and passwords that files of a launch hold: nothing that is told repeats them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor::launch {

// Whether what a name is given is nobody else's: `--api-key`, `HF_TOKEN`, `adminPassword`.
bool is_secret_name(std::string_view name);

class Secrets {
 public:
  // What a text gives to such names, and words that look like tokens of known services.
  void learn(std::string_view text);
  // What is too short or too plain to be a secret is none.
  void keep(std::string_view value);
  // A text without them.
  std::string hidden(std::string_view text) const { return replaced(text, false); }
  // A scenario without them: in its comments, as its values are none.
  std::string hidden_in_comments(std::string_view scenario) const;
  // Every other word keeps its column in the line that is shown.
  Error hidden(Error error) const;

 private:
  std::string replaced(std::string_view text, bool keeps_columns) const;
  std::set<std::string, std::less<>> values_;
};

}  // namespace loadfactor::launch

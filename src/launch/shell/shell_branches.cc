// Which arms of a shell script run: tests, patterns, and what `&&` and `||` make of them.
#include <algorithm>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {

void ShellReader::enter_arm(Branch& branch, const Outcome& test) {
  if (branch.doubt.empty()) branch.doubt = test.doubt;
  if (branch.taken == Run::kYes || test.holds == Holds::kNo)
    branch.run = Run::kNo;
  else if (branch.taken == Run::kMaybe || test.holds == Holds::kUnknown)
    branch.run = Run::kMaybe;
  else
    branch.run = Run::kYes;
  branch.taken = std::max(branch.taken, branch.run);
}

void ShellReader::take_keyword(const std::string& keyword) {
  if (keyword == "!") negates_ = !negates_;
  if (keyword == "if") branches_.push_back({});
  if (keyword == "{") begin_group(Branch::Kind::kGroup);
  if (keyword == "while" || keyword == "until")
    loops_.push_back({.awaits_body = true, .is_until = keyword == "until"});
  if (keyword == "do") begin_body();
  if (branches_.empty() || branches_.back().kind != Branch::Kind::kIf) return;
  Branch& branch = branches_.back();
  if (keyword == "elif") branch.run = branch.taken == Run::kYes ? Run::kNo : Run::kYes;
  if (keyword == "then") enter_arm(branch, outcome_);
  if (keyword == "else") enter_arm(branch, {.holds = Holds::kYes});
}

// `case $SIZE in`: its patterns follow.
void ShellReader::begin_case() {
  branches_.push_back(
      {.kind = Branch::Kind::kCase, .subject = command_[1], .awaits_pattern = true});
  command_.clear();
}

// Behind the `)` of a pattern, whose alternatives are the words before it.
void ShellReader::end_pattern() {
  Branch& branch = branches_.back();
  branch.awaits_pattern = false;
  Outcome test{.holds = Holds::kNo, .doubt = branch.subject.doubt};
  for (const Word& pattern : std::exchange(command_, {})) {
    const bool is_plain = pattern.text.find('[') == std::string::npos;
    if (!branch.subject.is_known || !pattern.is_known || !is_plain)
      test.holds = Holds::kUnknown;
    else if (matches_pattern(branch.subject.text, pattern.text))
      test.holds = Holds::kYes;
    if (test.holds != Holds::kNo) break;
  }
  enter_arm(branch, test);
}

void ShellReader::end_branch(const std::string& keyword) {
  if (branches_.empty()) return;
  const Branch::Kind kind = branches_.back().kind;
  if ((keyword == "fi" && kind == Branch::Kind::kIf) ||
      (keyword == "esac" && kind == Branch::Kind::kCase) ||
      (keyword == "}" && kind == Branch::Kind::kGroup))
    branches_.pop_back();
}

bool ShellReader::is_in_test() const {
  return !command_.empty() && command_.front().text == "[[" && command_.back().text != "]]" &&
         !(open_ && current_.text == "]]");
}

Run ShellReader::run() const {
  Run least = line_run_;
  for (const Branch& branch : branches_) least = std::min(least, branch.run);
  for (const Loop& loop : loops_) least = std::min(least, loop.run);
  const bool is_over =
      over_ != Ending::kNothing ||
      std::any_of(calls_.begin(), calls_.end(), [](const Call& call) { return call.is_over; });
  return is_over ? Run::kNo : least;
}

std::string ShellReader::doubt() const {
  if (run() == Run::kMaybe) return kBranchDoubt;
  for (const Branch& branch : branches_)
    if (!branch.doubt.empty()) return branch.doubt;
  return line_doubt_;
}

void ShellReader::set_outcome(const std::vector<Word>& words, bool negates) {
  outcome_ = {};
  was_test_ = words.empty() || is_test(words);
  if (words.empty()) outcome_.holds = Holds::kYes;
  if (is_test(words)) outcome_ = outcome_of_test(words);
  if (!words.empty() && (words.front().text == "true" || words.front().text == ":"))
    outcome_.holds = Holds::kYes;
  if (!words.empty() && words.front().text == "false") outcome_.holds = Holds::kNo;
  if (line_run_ == Run::kMaybe) outcome_.holds = Holds::kUnknown;
  if (negates && outcome_.holds != Holds::kUnknown)
    outcome_.holds = outcome_.holds == Holds::kYes ? Holds::kNo : Holds::kYes;
}

void ShellReader::end_condition() {
  const bool is_or = here() == '|';
  end_word();
  end_command();
  is_piped_ = false;
  const Holds wanted = is_or ? Holds::kNo : Holds::kYes;
  const bool goes_on = !is_or && !was_test_ && line_run_ == Run::kYes;
  if (outcome_.holds != Holds::kUnknown)
    line_run_ = outcome_.holds == wanted ? Run::kYes : Run::kNo;
  else if (!goes_on)
    line_run_ = Run::kMaybe;
  else
    is_line_assumed_ = true;
  if (line_doubt_.empty()) line_doubt_ = outcome_.doubt;
  forward();
  forward();
}

}  // namespace loadfactor::launch::shell

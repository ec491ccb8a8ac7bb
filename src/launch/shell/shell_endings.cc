// What ends a shell script, a function or a subshell of it before its text ends.
#include <algorithm>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {
namespace {

// `exec vllm serve` becomes the program; `exec > log` goes on with the script.
bool becomes_program(const std::vector<Word>& words) {
  if (words.size() < 2 || words.front().text != "exec") return false;
  const std::string& next = words[1].text;
  const auto behind = std::min(next.find_first_not_of("0123456789"), next.size() - 1);
  return next.empty() || (next[behind] != '>' && next[behind] != '<' && next[behind] != '&');
}

// `exit 1` and `return 2`; what another command left behind is not known.
bool reports_failure(const std::vector<Word>& words) {
  const std::string& name = words.front().text;
  return (name == "exit" || name == "return") && words.size() > 1 && words[1].is_known &&
         words[1].text != "0";
}

}  // namespace

void ShellReader::begin_line() {
  line_run_ = Run::kYes;
  line_doubt_.clear();
  is_line_assumed_ = false;
}

void ShellReader::begin_body() {
  if (loops_.empty() || !std::exchange(loops_.back().awaits_body, false)) return;
  const Holds ends = loops_.back().is_until ? Holds::kYes : Holds::kNo;
  if (outcome_.holds == ends) loops_.back().run = Run::kNo;
}

std::string ShellReader::nearest_guess() const {
  const auto is_guess = [](const std::string& why) { return !why.empty() && why != kLoopDoubt; };
  if (is_guess(line_doubt_)) return line_doubt_;
  const auto found = std::find_if(branches_.rbegin(), branches_.rend(),
                                  [&](const Branch& each) { return is_guess(each.doubt); });
  return found == branches_.rend() ? std::string() : found->doubt;
}

Ending ShellReader::ending_of(const std::vector<Word>& words) {
  // Beside others a command runs in a shell of its own.
  const bool is_apart = at_ < text_.size() && (here() == '&' || here() == '|') && next() != here();
  if (run() != Run::kYes || is_line_assumed_ || is_in_open_loop() || is_apart)
    return Ending::kNothing;
  // Who starts a script gives it what it asks for.
  if (reports_failure(words)) {
    const std::string guess = nearest_guess();
    const bool is_assumed = std::any_of(branches_.begin(), branches_.end(),
                                        [](const Branch& each) { return each.is_assumed; });
    if (!guess.empty()) refused_.insert(guess);
    if (!guess.empty() || is_assumed) return Ending::kNothing;
  }
  const std::string& name = words.front().text;
  if (name == "exit" || becomes_program(words)) return Ending::kScript;
  return name == "return" ? Ending::kFunction : Ending::kNothing;
}

void ShellReader::cut_pass(const std::vector<Word>& words) {
  const bool breaks = words.size() == 1 && words.front().text == "break";
  const bool continues = words.size() == 1 && words.front().text == "continue";
  if ((!breaks && !continues) || loops_.empty() || loops_.back().values.empty()) return;
  if (run() != Run::kYes || is_line_assumed_ || !nearest_guess().empty()) return;
  Loop& loop = loops_.back();
  loop.run = Run::kNo;
  loop.is_cut = true;
  if (breaks) loop.pass = loop.values.size();
}

void ShellReader::end_reading(Ending ending) {
  if (ending == Ending::kNothing) return;
  if (ending == Ending::kFunction && !calls_.empty()) {
    calls_.back().is_over = true;
    return;
  }
  const auto subshell = std::find_if(branches_.rbegin(), branches_.rend(), [](const Branch& each) {
    return each.kind == Branch::Kind::kSubshell;
  });
  if (subshell == branches_.rend())
    over_ = ending;
  else
    subshell->run = Run::kNo;
}

void ShellReader::begin_group(Branch::Kind kind) {
  branches_.push_back({.kind = kind,
                       .run = line_run_,
                       .doubt = std::exchange(line_doubt_, {}),
                       .is_assumed = is_line_assumed_});
}

void ShellReader::begin_subshell() {
  constexpr std::size_t kMaxKept = 64;  // Subshells within each other whose variables are kept.
  begin_group(Branch::Kind::kSubshell);
  if (branches_.size() <= kMaxKept) branches_.back().variables = out_.variables;
}

// What a subshell sets ends with it.
void ShellReader::end_subshell() {
  if (branches_.empty() || branches_.back().kind != Branch::Kind::kSubshell) return;
  if (auto& before = branches_.back().variables) {
    for (auto& [name, value] : out_.variables)
      if (!before->contains(name)) apart_.insert_or_assign(name, std::move(value));
    out_.variables = *std::move(before);
  }
  branches_.pop_back();
}

}  // namespace loadfactor::launch::shell

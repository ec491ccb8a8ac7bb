// What a shell runs: assignments, loops, functions and the commands among them.
#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {

void ShellReader::begin_loop(const std::vector<Word>& head) {
  Loop loop{.at = at_, .line = line_, .column = column_};
  if (head.size() > 3 && head[2].text == "in" && run() != Run::kNo) {
    loop.name = head[1].text;
    for (std::size_t i = 3; i < head.size(); ++i) add_values(head[i], out_.variables, loop.values);
  }
  if (!loop.values.empty()) set_pass(loop);
  loops_.push_back(std::move(loop));
}

bool ShellReader::is_in_open_loop() const {
  return std::any_of(loops_.begin(), loops_.end(),
                     [](const Loop& loop) { return loop.values.empty(); });
}

bool ShellReader::may_reread(std::size_t length) {
  reread_ += length;
  return ++passes_ <= kMostPasses && reread_ <= kMostReread;
}

void ShellReader::set_pass(const Loop& loop) {
  Word& variable = out_.variables[loop.name];
  variable = loop.values[loop.pass];
  if (loop.values.size() > 1) variable.doubt = kLoopDoubt;
}

void ShellReader::end_pass() {
  if (loops_.empty()) return;
  Loop& loop = loops_.back();
  const bool is_condition =  // `done && ...`
      at_ < text_.size() && (here() == '&' || here() == '|') && next() == here();
  if (is_condition || ++loop.pass >= loop.values.size()) return loops_.pop_back();
  if (!may_reread(at_ - std::min(at_, loop.at))) {
    if (!out_.commands.empty()) out_.in_open_loop.insert(out_.commands.size() - 1);
    return loops_.pop_back();
  }
  if (std::exchange(loop.is_cut, false)) loop.run = Run::kYes;
  set_pass(loop);
  std::tie(at_, line_, column_) = std::tuple(loop.at, loop.line, loop.column);
}

void ShellReader::count_loop() {
  forward();
  forward();
  const auto end = std::min(text_.find("))", at_), text_.size());
  Word head{std::string(text_.substr(at_, end - at_)), line_, column_, true};
  while (at_ < std::min(end + 2, text_.size())) forward();
  CountedLoop loop = counted_loop(head, out_.variables);
  if (loop.values.empty()) return;
  head.text = loop.name;
  command_.push_back(head);
  head.text = "in";
  command_.push_back(head);
  for (Word& value : loop.values) command_.push_back(std::move(value));
}

void ShellReader::end_command() {
  if (command_.empty() || awaits_pattern()) return;
  const std::vector<Word> all = std::exchange(command_, {});
  const std::string& lead = all.front().text;
  has_command_ = true;
  const bool negates = std::exchange(negates_, false);
  if (lead == "fi" || lead == "esac" || lead == "}") return end_branch(lead);
  if (lead == "for") return begin_loop(all);
  if (lead == "done") return end_pass();
  if (run() == Run::kNo) {
    for (End& end : ends_) end.is_run = false;
    return;
  }
  std::size_t first = 0;
  constexpr std::array<std::string_view, 5> kDeclarations{"export", "declare", "local", "readonly",
                                                          "typeset"};
  if (is_among(kDeclarations, lead)) ++first;
  while (first > 0 && first < all.size() && all[first].text.starts_with('-')) ++first;
  const auto behind = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(first), all.end(),
                                   [](const Word& word) { return !names_variable(word.text); });
  const auto named = static_cast<std::size_t>(behind - all.begin());
  std::vector<Word> rest(behind, all.end());
  std::vector<OwnVariable> own;
  if (first == 0 && !rest.empty())
    own = assign_own(all, named);
  else
    for (std::size_t i = first; i < named; ++i) assign(all[i]);
  set_outcome(rest, negates);
  if (!rest.empty()) run_command(std::move(rest), std::move(own));
}

void ShellReader::run_command(std::vector<Word> rest, std::vector<OwnVariable> own) {
  run_builtin(rest);
  // `cat <<EOF | kubectl apply -f -` is for the last of them, `cat > file <<EOF && bash file` for
  // the first.
  if (!ends_.empty() && (given_to_.empty() || is_piped_)) {
    writes_into_ = written_file(rest);
    given_to_ = rest;
  }
  is_dispatched_ = is_dispatched_ || !rest.front().is_known;
  cut_pass(rest);
  const Ending ending = ending_of(rest);
  if (call(rest)) {
    calls_.back().own = std::move(own);
    return;
  }
  if (!run_written(rest)) keep_command(std::move(rest));
  end_reading(ending);
  if (ends_.empty()) return put_back(std::move(own));
  own_.insert(own_.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
}

void ShellReader::keep_command(std::vector<Word> words) {
  if (is_in_open_loop()) out_.in_open_loop.insert(out_.commands.size());
  for (Word& word : words) {
    if (!word.doubt.empty()) continue;
    word.doubt = doubt();
    word.sure = 0;
    word.unsure_end = std::string::npos;
  }
  out_.commands.push_back(std::move(words));
}

void ShellReader::go_to(const Spot& spot) {
  std::tie(at_, line_, column_) = std::tuple(spot.at, spot.line, spot.column);
}

bool ShellReader::begin_function() {
  const bool has_keyword = !command_.empty() && command_.front().text == "function";
  const std::size_t names = command_.size() - (has_keyword ? 1 : 0) + (open_ ? 1 : 0);
  const bool has_parentheses = here() == '(' && next() == ')';
  if (names != 1 || in_array_ || !(has_parentheses || (has_keyword && here() == '{'))) return false;
  const std::string name = open_ ? current_.text : command_.back().text;
  const Spot before = spot();
  if (has_parentheses) at_ += 2;
  column_ += has_parentheses ? 2 : 0;
  while (at_ < text_.size() && (is_blank(here()) || here() == '\n')) forward();
  Function made{.begin = spot()};
  if (at_ >= text_.size() || here() != '{' || !skip_body()) {
    go_to(before);
    return false;
  }
  made.end = at_;
  if (run() != Run::kNo) functions_[name] = made;
  open_ = false;
  command_.clear();
  forward();
  return true;
}

bool ShellReader::skip_body() {
  int depth = 0;
  char quote = '\0';
  for (; at_ < text_.size(); forward()) {
    const char c = here();
    if (c == '\\' && quote != '\'' && at_ + 1 < text_.size()) {
      forward();
    } else if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '#' && (is_blank(text_[at_ - 1]) || text_[at_ - 1] == '\n')) {
      while (at_ + 1 < text_.size() && next() != '\n') forward();
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return true;
    }
  }
  return false;
}

bool ShellReader::call(const std::vector<Word>& words) {
  const auto found = functions_.find(words.front().text);
  if (found == functions_.end() || calls_.size() >= kMostCalls ||
      !may_reread(found->second.end - found->second.begin.at))
    return false;
  enter(found->second, std::vector<Word>(words.begin() + 1, words.end()), true);
  return true;
}

void ShellReader::enter(Function& function, std::vector<Word> arguments, bool is_known) {
  function.is_called = true;
  calls_.push_back(
      {function.end, spot(), std::move(arguments), is_known, branches_.size(), loops_.size()});
  if (is_known) begin_group(Branch::Kind::kGroup);
  begin_line();
  put_arguments();
  go_to(function.begin);
}

bool ShellReader::call_uncalled() {
  // A script that ends itself leaves nothing to others, unless it calls what it is told to.
  if (over_ != Ending::kNothing && !is_dispatched_) return false;
  over_ = Ending::kNothing;
  for (auto& [name, function] : functions_) {
    if (function.is_called) continue;
    enter(function, {}, false);
    return true;
  }
  return false;
}

void ShellReader::put_arguments() {
  const bool is_outside = calls_.empty();
  const bool is_known = is_outside ? arguments_.has_value() : calls_.back().is_known;
  const std::vector<Word> arguments =
      !is_outside ? calls_.back().arguments : arguments_.value_or(std::vector<Word>());
  for (std::size_t i = 0; i < kArguments; ++i) {
    const std::string name = std::to_string(i + 1);
    if (i < arguments.size())
      out_.variables[name] = arguments[i];
    else
      out_.variables.erase(name);
  }
  if (is_known)
    arrays_["@"] = arguments;
  else
    arrays_.erase("@");
}

void ShellReader::shift() {
  if (calls_.empty() && !arguments_) return;
  auto& arguments = calls_.empty() ? *arguments_ : calls_.back().arguments;
  if (!arguments.empty()) arguments.erase(arguments.begin());
  put_arguments();
}

bool ShellReader::leave() {
  if (calls_.empty() || at_ != calls_.back().end) return false;
  end_word();
  if (awaits_pattern()) command_.clear();  // The body ends in the middle of a `case`.
  if (!command_.empty()) return end_command(), true;
  Call done = std::move(calls_.back());
  calls_.pop_back();
  branches_.resize(std::min(branches_.size(), done.branches));
  loops_.resize(std::min(loops_.size(), done.loops));
  put_arguments();
  put_back(std::move(done.own));
  go_to(done.back);
  return true;
}

}  // namespace loadfactor::launch::shell

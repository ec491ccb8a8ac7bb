// What a shell script sets: variables, arrays, sums, and what it takes from other scripts.
#include <algorithm>
#include <array>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {

bool names_variable(std::string_view word) {
  auto end = word.find('=');
  if (end != std::string_view::npos && end > 0 && word[end - 1] == '+') --end;
  if (end == std::string_view::npos || end == 0 || !is_name(word[0], true)) return false;
  word = word.substr(0, end);
  return std::all_of(word.begin(), word.end(), [](char c) { return is_name(c, false); });
}

bool ShellReader::is_in_assignment() const {
  constexpr std::array<std::string_view, 5> kDeclares{"export", "readonly", "local", "declare",
                                                      "typeset"};
  if (!open_ || in_array_ || !names_variable(current_.text)) return false;
  const bool declares = !command_.empty() && is_among(kDeclares, command_.front().text);
  return declares || std::all_of(command_.begin(), command_.end(), [](const Word& word) {
           return names_variable(word.text) || is_among(kKeywords, word.text);
         });
}

bool ShellReader::assign(const Word& word) {
  if (!names_variable(word.text)) return false;
  const auto equals = word.text.find('=');
  const bool adds = word.text[equals - 1] == '+';
  const std::string name = word.text.substr(0, equals - (adds ? 1 : 0));
  Word value = word;
  value.text = word.text.substr(equals + 1);
  value.column += static_cast<std::uint32_t>(equals + 1);
  value.sure = word.sure > equals ? word.sure - equals - 1 : 0;
  if (word.unsure_end != std::string::npos && word.unsure_end > equals)
    value.unsure_end = word.unsure_end - equals - 1;
  if (adds)
    append(name, std::move(value));
  else
    set_variable(name, std::move(value));
  return true;
}

std::vector<OwnVariable> ShellReader::assign_own(const std::vector<Word>& words,
                                                 std::size_t count) {
  std::vector<OwnVariable> own;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& text = words[i].text;
    const std::string name = text.substr(0, text.find_first_of("+="));
    const auto found = out_.variables.find(name);
    own.push_back(
        {name, found == out_.variables.end() ? std::nullopt : std::optional(found->second)});
    assign(words[i]);
  }
  return own;
}

// The last one that was changed goes first, so that a name that was set twice is as it was.
void ShellReader::put_back(std::vector<OwnVariable> own) {
  for (; !own.empty(); own.pop_back()) {
    auto& [name, before] = own.back();
    const auto found = out_.variables.find(name);
    if (found != out_.variables.end()) apart_[name] = std::move(found->second);
    if (before)
      out_.variables[name] = *std::move(before);
    else
      out_.variables.erase(name);
  }
}

void ShellReader::set_variable(const std::string& name, Word value) {
  apart_.erase(name);
  Word& variable = out_.variables[name];
  if (const std::string why = doubt(); !why.empty() && value.text != variable.text) {
    // What a branch puts behind a value leaves that value as sure as it was.
    const bool adds = value.text.starts_with(variable.text) && variable.doubt.empty();
    value.sure = adds ? variable.text.size() : 0;
    value.unsure_end = std::string::npos;
    value.doubt = why;
  }
  if (value.text.size() > kMostText) {
    value.text.resize(kMostText);
    value.is_known = false;
  }
  variable = std::move(value);
}

// `NAME+=more` puts a text behind the one that is there, numbers too.
void ShellReader::append(const std::string& name, Word value) {
  const auto found = out_.variables.find(name);
  if (found == out_.variables.end()) {
    if (value.doubt.empty()) value.doubt = kElsewhereDoubt;
    return set_variable(name, std::move(value));
  }
  Word whole = found->second;
  if (whole.doubt.empty() && !value.doubt.empty()) {
    whole.doubt = value.doubt;
    whole.sure = whole.text.size() + value.sure;
  }
  if (!value.doubt.empty())
    whole.unsure_end = value.unsure_end == std::string::npos ? std::string::npos
                                                             : whole.text.size() + value.unsure_end;
  whole.text += value.text;
  whole.is_known = whole.is_known && value.is_known;
  set_variable(name, std::move(whole));
}

void ShellReader::unset(const std::string& name) {
  if (doubt().empty()) {
    out_.variables.erase(name);
    arrays_.erase(name);
    return;
  }
  if (const auto found = out_.variables.find(name); found != out_.variables.end())
    found->second.doubt = kBranchDoubt;
}

void ShellReader::run_builtin(const std::vector<Word>& words) {
  const std::string& name = words.front().text;
  if (name == "shift") shift();
  if (name == "unset")
    for (std::size_t i = 1; i < words.size(); ++i) unset(words[i].text);
  if (name == "let")
    for (std::size_t i = 1; i < words.size(); ++i) compute(words[i].text);
  if (name == "read") read_into(words);
  if ((name == "source" || name == ".") && words.size() > 1) source(words[1]);
  if (name == "set" && words.size() > 1 && words[1].text == "--") {
    (calls_.empty() ? arguments_.emplace() : calls_.back().arguments)
        .assign(words.begin() + 2, words.end());
    put_arguments();
  }
}

void ShellReader::read_into(const std::vector<Word>& words) {
  constexpr std::string_view kWithValue = "-d-n-N-p-t-u-i";
  std::vector<std::string> names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& text = words[i].text;
    if (text.starts_with('-') && text.size() >= 2) {
      const std::string last = std::string("-") + text.back();
      if (kWithValue.find(last) != std::string_view::npos) ++i;
    } else if (!text.empty() && is_name(text[0], true)) {
      names.push_back(text);
    }
  }
  for (const std::string& name : names)
    set_variable(name, {"${" + name + "}", words[0].line, words[0].column, false});
  reads_into_ = names.size() == 1 && ends_.size() == 1 ? names.front() : "";
}

// What another script sets stands at the line that names it.
void ShellReader::source(const Word& file) {
  if (depth_ >= kMaxDepth || !file.is_known) return;
  const std::string* text = text_of(file.text);
  if (text == nullptr || !may_reread(text->size())) return;
  ShellReader inner(*text, out_.variables, files_, depth_ + 1);
  inner.arrays_ = arrays_;
  inner.passes_ = passes_;
  inner.reread_ = reread_;
  const ShellText read = inner.read();
  passes_ = inner.passes_;
  reread_ = inner.reread_;
  const bool is_sure = run() == Run::kYes && !is_in_open_loop();
  if (inner.over_ == Ending::kScript && is_sure) over_ = Ending::kScript;
  const auto at_this_line = [&](Word word) {
    word.line = file.line;
    word.column = file.column;
    return word;
  };
  for (auto& [name, value] : inner.apart_) apart_[name] = at_this_line(std::move(value));
  for (const auto& [name, value] : read.variables) {
    const auto before = out_.variables.find(name);
    const bool is_same = before != out_.variables.end() && before->second.text == value.text &&
                         before->second.line == value.line;
    if (!is_same) set_variable(name, at_this_line(value));
  }
  for (auto& [name, items] : inner.arrays_) {
    if (arrays_.contains(name)) continue;
    for (Word& item : items) item = at_this_line(item);
    arrays_[name] = std::move(items);
  }
}

void ShellReader::compute_line() {
  forward();
  forward();
  const auto end = std::min(text_.find("))", at_), text_.size());
  const std::string inside(text_.substr(at_, end - at_));
  if (run() != Run::kNo) {
    outcome_ = compute(inside);
    was_test_ = true;
    if (std::exchange(negates_, false) && outcome_.holds != Holds::kUnknown)
      outcome_.holds = outcome_.holds == Holds::kYes ? Holds::kNo : Holds::kYes;
  }
  while (at_ < std::min(end + 2, text_.size())) forward();
}

// A sum that sets a variable does it; the outcome is whether it is another number than zero.
Outcome ShellReader::compute(std::string_view text) {
  std::string plain;
  for (const char c : text)
    if (!is_blank(c) && c != '\n') plain += c;
  std::size_t end = 0;
  while (end < plain.size() && is_name(plain[end], end == 0)) ++end;
  const std::string name = plain.substr(0, end);
  const std::string rest = plain.substr(end);
  Outcome outcome;
  std::optional<std::int64_t> value;
  const bool is_step = rest == "++" || rest == "--";
  const bool is_joined = rest.size() > 2 && rest[1] == '=' &&
                         std::string_view("+-*/%").find(rest[0]) != std::string_view::npos;
  const bool is_set = rest.size() > 1 && rest[0] == '=' && rest[1] != '=';
  std::string sum = plain;
  if (is_step) sum = name + rest.substr(0, 1) + "1";
  if (is_joined) sum = name + rest.substr(0, 1) + "(" + rest.substr(2) + ")";
  if (is_set) sum = rest.substr(1);
  value = computed(sum, out_.variables, outcome.doubt);
  if (value) outcome.holds = *value != 0 ? Holds::kYes : Holds::kNo;
  if (name.empty() || !(is_step || is_joined || is_set)) return outcome;
  Word word{value ? std::to_string(*value) : "$((" + plain + "))", line_, column_,
            value.has_value()};
  word.doubt = outcome.doubt;
  set_variable(name, std::move(word));
  return outcome;
}

}  // namespace loadfactor::launch::shell

// The words of a shell script: blanks, quotes, comments and arrays.
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {

ShellText ShellReader::read() {
  do {
    while (at_ < text_.size() && count_ < kMostWords) step();
    end_word();
    end_command();  // Where it is the `done` of a loop, the reading goes on.
  } while ((at_ < text_.size() || call_uncalled()) && count_ < kMostWords);
  // Who reads the whole script learns what its commands ran with.
  if (depth_ == 0)
    for (auto& [name, value] : apart_) out_.variables.insert_or_assign(name, std::move(value));
  return std::move(out_);
}

void ShellReader::forward() {
  if (here() == '\n') {
    ++line_;
    column_ = 0;
  }
  ++column_;
  ++at_;
}

Word& ShellReader::word() {
  if (!open_) open_at(line_, column_);
  return current_;
}

void ShellReader::open_at(std::uint32_t line, std::uint32_t column) {
  current_ = {{}, line, column, true};
  syntax_.clear();
  name_ends_.clear();
  open_ = true;
}

void ShellReader::push(Word done) {
  ++count_;
  (in_array_ ? array_ : command_).push_back(std::move(done));
}

void ShellReader::end_word() {
  if (!open_) return;
  const bool is_literal = is_in_assignment() || is_in_test() || awaits_pattern();
  open_ = false;
  if (is_literal || syntax_.find('{') == std::string::npos)
    push(std::move(current_));
  else
    push_with_braces(std::move(current_));
  if (in_array_) return;
  if (awaits_pattern()) {
    if (command_.size() != 1 || command_.front().text != "esac") return;
    end_branch("esac");
    return command_.clear();
  }
  if (command_.size() == 1 && is_among(kKeywords, command_.front().text)) {
    const std::string keyword = command_.front().text;
    command_.clear();
    take_keyword(keyword);
  } else if (command_.size() == 3 && command_[0].text == "case" && command_[2].text == "in") {
    begin_case();
  }
}

void ShellReader::step() {
  if (leave()) return;
  const char c = here();
  if ((c == '(' || c == '{') && begin_function()) return;
  if (c == '(' && next() == '(' && !open_ && command_.size() == 1 && command_.front().text == "for")
    return count_loop();
  if (c == '(' && next() == '(' && !open_ && command_.empty() && !awaits_pattern())
    return compute_line();
  if (c == '`') return expand_backticks();
  if (c == '\\' && (next() == '\n' || next() == '\r')) return continue_line();
  if (c == '\\') return escape();
  if (c == '\'') return single();
  if (c == '"') return in_quotes();
  if (c == '$') return expand(false);
  if (c == '#' && !open_) return comment();
  if (c == ')' && in_array_) return end_array();
  if (c == '(' && open_ && current_.text.ends_with('=')) return begin_array();
  if (c == '<' && next() == '<') return here_document();
  if (c == '&' && ((open_ && current_.text.ends_with('>')) || next() == '>')) return plain();
  if (awaits_pattern() && step_pattern()) return;
  if ((c == '&' || c == '|') && next() == c && is_in_test()) return join_tests();
  if ((c == '&' || c == '|') && next() == c && !in_array_) return end_condition();
  if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
    end_word();
    const std::size_t before = at_;
    if (!in_array_) end_command();
    // Where a loop or a function began, the character is read once more behind it.
    if (c == '(' && at_ == before && !in_array_) begin_subshell();
    if (c == ')' && at_ == before && !in_array_) end_subshell();
    is_piped_ = c == '|' || (is_piped_ && c == '&' && at_ > 0 && text_[at_ - 1] == '|');
    if (c != '|') begin_line();
    const bool ends_arm = c == ';' && (next() == ';' || next() == '&') && !branches_.empty() &&
                          branches_.back().kind == Branch::Kind::kCase;
    if (ends_arm) {
      branches_.back().awaits_pattern = true;
      forward();
    }
    forward();
    if (c == '\n') skip_here_documents();
    return;
  }
  if (is_blank(c)) {
    end_word();
    return forward();
  }
  plain();
}

// Between the words of a pattern of a `case`; true where the character is none of its own.
bool ShellReader::step_pattern() {
  const char c = here();
  if (c == ')') {
    end_word();
    end_pattern();
  } else if (c == '|' || c == '(' || c == '\n' || c == ';') {
    end_word();
  } else {
    return false;
  }
  forward();
  return true;
}

// `&&` and `||` between the brackets of a test are words of it.
void ShellReader::join_tests() {
  end_word();
  word().text = std::string(2, here());
  forward();
  forward();
  end_word();
}

void ShellReader::push_with_braces(Word done) {
  syntax_.resize(done.text.size(), '\0');
  const auto texts = brace_words(done.text, syntax_, kMostWords - std::min(kMostWords, count_));
  if (texts.size() == 1) return push(std::move(done));
  // Braces are written out first, so that `$V{1,2}` is `$V1` and `$V2`.
  for (const std::size_t end : name_ends_)
    if (end < syntax_.size() &&
        std::string_view("{,}").find(syntax_[end]) != std::string_view::npos)
      done.is_known = false;
  if (!done.doubt.empty()) {
    done.sure = 0;
    done.unsure_end = std::string::npos;
  }
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    done.text = text;
    push(done);
  }
}

void ShellReader::plain() {
  Word& current = word();
  syntax_.resize(current.text.size(), '\0');
  syntax_ += here();
  current.text += here();
  forward();
}

void ShellReader::leave_unclosed(std::uint32_t line, std::uint32_t column) {
  if (over_ != Ending::kNothing) return;  // No shell reads so far.
  if (at_ >= text_.size() && !out_.unclosed) out_.unclosed = Word{"\"", line, column, true};
}

void ShellReader::continue_line() {
  while (here() != '\n') {
    forward();
    if (at_ >= text_.size()) return;
  }
  forward();
  end_word();
}

void ShellReader::escape() {
  word();
  forward();
  if (at_ >= text_.size()) return;
  word().text += here();
  forward();
}

void ShellReader::single() {
  word();
  const auto [line, column] = std::pair(line_, column_);
  forward();
  while (at_ < text_.size() && here() != '\'') {
    current_.text += here();
    forward();
  }
  leave_unclosed(line, column);
  if (at_ < text_.size()) forward();
}

void ShellReader::in_quotes() {
  word();
  const bool was_empty = current_.text.empty();
  const auto [line, column] = std::pair(line_, column_);
  forward();
  while (at_ < text_.size() && here() != '"') {
    if (here() == '\\' && next() == '\n') {
      forward();
      forward();
    } else if (here() == '\\' &&
               std::string_view("\"\\$`").find(next()) != std::string_view::npos) {
      forward();
      word().text += here();
      forward();
    } else if (here() == '$') {
      expand(true);
    } else if (here() == '`') {
      expand_backticks();
    } else {
      word().text += here();
      forward();
    }
  }
  leave_unclosed(line, column);
  if (at_ < text_.size()) forward();
  // All of an array, or of the arguments, may be nothing at all.
  if (spliced_ && was_empty && open_ && current_.text.empty()) open_ = false;
  spliced_ = false;
}

void ShellReader::comment() {
  Word word{{}, line_, column_, true};
  if (has_command_) word.doubt = kBehindCommands;
  while (at_ < text_.size() && here() != '\n') {
    word.text += here();
    forward();
  }
  out_.comments.push_back(std::move(word));
}

void ShellReader::begin_array() {
  array_name_ = current_.text;
  array_name_.pop_back();
  adds_to_array_ = array_name_.ends_with('+');
  if (adds_to_array_) array_name_.pop_back();
  open_ = false;
  in_array_ = true;
  array_.clear();
  forward();
}

void ShellReader::end_array() {
  end_word();
  in_array_ = false;
  forward();
  if (run() == Run::kNo) return;
  if (const std::string why = doubt(); !why.empty())
    for (Word& item : array_)
      if (item.doubt.empty()) item.doubt = why;
  auto& array = arrays_[array_name_];
  if (!adds_to_array_) array.clear();
  array.insert(array.end(), array_.begin(), array_.end());
}

}  // namespace loadfactor::launch::shell

namespace loadfactor::launch {

// A script that fails with a default is not run with it: it is read anew without that.
ShellText read_shell(std::string_view text, Variables variables, const ScriptFiles* files,
                     const std::vector<Word>* arguments) {
  std::set<std::string> refused;
  for (std::size_t i = 0;; ++i) {
    shell::ShellReader reader(text, variables, files);
    if (arguments != nullptr) reader.give(*arguments);
    reader.leave_out(refused);
    ShellText out = reader.read();
    const std::size_t before = refused.size();
    refused.insert(reader.refused().begin(), reader.refused().end());
    if (refused.size() == before || i == shell::kMostRefusals) return out;
  }
}

void move_down(Word& word, std::uint32_t lines, std::uint32_t last) {
  if (word.origin == nullptr) word.line = std::min(word.line + lines, last);
}

std::vector<Word> split_words(std::string_view text, std::uint32_t line, std::uint32_t column) {
  std::vector<Word> words;
  std::size_t at = 0;
  using shell::is_blank;
  while (at < text.size()) {
    while (at < text.size() && is_blank(text[at])) ++at;
    const std::size_t from = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > from)
      words.push_back({std::string(text.substr(from, at - from)), line,
                       column + static_cast<std::uint32_t>(from), true});
  }
  return words;
}

}  // namespace loadfactor::launch

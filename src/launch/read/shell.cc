#include "launch/read/shell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <optional>
#include <tuple>
#include <utility>

namespace loadfactor::launch {
namespace {

constexpr std::size_t kMostWords = 200'000;  // Arrays that hold each other would grow for ever,
constexpr std::size_t kMostText = 1 << 16;   // and so would variables,
constexpr std::size_t kMostPasses = 1024;    // and loops within loops.

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool is_name(char c, bool first) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (!first && c >= '0' && c <= '9');
}

template <std::size_t kCount>
bool is_among(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Words before a command that are none themselves.
constexpr std::array<std::string_view, 9> kKeywords{"then", "else", "do",    "{",    "!",
                                                    "if",   "elif", "while", "until"};
constexpr std::array<std::string_view, 3> kTests{"[", "[[", "test"};
constexpr const char* kBranchDoubt = "set only where a test holds";
constexpr const char* kLoopDoubt = "another one in each pass of a loop";

// `4`, `4*8`, `NODES*8` with what is known of the names; a doubt about one is one about all.
std::optional<std::int64_t> computed(std::string_view text, const Variables& variables,
                                     std::string& doubt) {
  std::int64_t total = 0;
  char sign = '+';
  while (true) {
    std::string name;
    while (!text.empty() && (is_blank(text.front()) || text.front() == '$' || text.front() == '{'))
      text.remove_prefix(1);
    while (!text.empty() && is_name(text.front(), false)) {
      name += text.front();
      text.remove_prefix(1);
    }
    while (!text.empty() && (is_blank(text.front()) || text.front() == '}')) text.remove_prefix(1);
    std::string digits = name;
    if (const auto found = variables.find(name); found != variables.end())
      std::tie(digits, doubt) =
          std::pair(found->second.text, found->second.doubt.empty() ? doubt : found->second.doubt);
    std::int64_t value = 0;
    const auto done = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = done.ec == std::errc() && done.ptr == digits.data() + digits.size();
    constexpr std::int64_t kMost = 1'000'000'000;
    if (!is_number || value > kMost || total > kMost) return std::nullopt;
    if (sign == '+') total += value;
    if (sign == '-') total -= value;
    if (sign == '*') total *= value;
    if (sign == '/' && value == 0) return std::nullopt;
    if (sign == '/') total /= value;
    if (text.empty()) return total;
    sign = text.front();
    if (std::string_view("+-*/").find(sign) == std::string_view::npos) return std::nullopt;
    text.remove_prefix(1);
  }
}

// A loop around what is read: the list that it goes through, where the text holds it, and where its
// first pass begins.
struct Loop {
  std::string name = {};
  std::vector<Word> values = {};
  std::size_t pass = 0;
  std::size_t at = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

void add_range(std::int64_t first, std::int64_t last, const Word& like, std::vector<Word>& values) {
  constexpr std::int64_t kMost = 4096;
  for (std::int64_t i = first; i <= last && i - first < kMost; ++i) {
    values.push_back(like);
    values.back().text = std::to_string(i);
    values.back().is_known = true;
  }
}

// The values of one word of a loop's list: `{0..3}`, `$(seq 0 3)`, or itself.
void add_values(const Word& word, std::vector<Word>& values) {
  const std::string& text = word.text;
  std::int64_t first = 1;
  std::int64_t last = 0;
  int length = 0;
  const auto is_whole = [&] { return length == static_cast<int>(text.size()); };
  if (std::sscanf(text.c_str(), "{%9" SCNd64 "..%9" SCNd64 "}%n", &first, &last, &length) == 2 &&
      is_whole())
    return add_range(first, last, word, values);
  if (std::sscanf(text.c_str(), "$(seq %9" SCNd64 " %9" SCNd64 ")%n", &first, &last, &length) ==
          2 &&
      is_whole())
    return add_range(first, last, word, values);
  if (std::sscanf(text.c_str(), "$(seq %9" SCNd64 ")%n", &last, &length) == 1 && is_whole())
    return add_range(1, last, word, values);
  if (word.is_known) values.push_back(word);
}

class ShellReader {
 public:
  ShellReader(std::string_view text, Variables variables) : text_(text) {
    out_.variables = std::move(variables);
  }

  ShellText read() {
    do {
      while (at_ < text_.size() && count_ < kMostWords) step();
      end_word();
      end_command();  // Where it is the `done` of a loop, the reading goes on.
    } while (at_ < text_.size() && count_ < kMostWords);
    return std::move(out_);
  }

 private:
  char here() const { return text_[at_]; }
  char next() const { return at_ + 1 < text_.size() ? text_[at_ + 1] : '\0'; }
  void forward() {
    if (here() == '\n') {
      ++line_;
      column_ = 0;
    }
    ++column_;
    ++at_;
  }
  Word& word() {
    if (!open_) {
      current_ = {{}, line_, column_, true};
      open_ = true;
    }
    return current_;
  }
  void push(Word done) {
    ++count_;
    (in_array_ ? array_ : command_).push_back(std::move(done));
  }
  void end_word() {
    if (!open_) return;
    open_ = false;
    push(std::move(current_));
  }
  // Drops the keywords before a command, and counts the branches that it stands in.
  void drop_keywords() {
    std::size_t first = 0;
    while (first < command_.size() && is_among(kKeywords, command_[first].text)) {
      const std::string& keyword = command_[first].text;
      if (keyword == "if") ++branches_;
      if (keyword == "while" || keyword == "until") loops_.push_back({});
      ++first;
    }
    command_.erase(command_.begin(), command_.begin() + static_cast<std::ptrdiff_t>(first));
    if (command_.empty()) return;
    const std::string& lead = command_.front().text;
    if (lead == "case") ++branches_;
    if ((lead == "fi" || lead == "esac") && branches_ > 0) --branches_;
  }
  // A list that the text holds is gone through; what is done with another one is read once.
  void begin_loop() {
    Loop loop{.at = at_, .line = line_, .column = column_};
    if (command_.size() > 3 && command_[2].text == "in") {
      loop.name = command_[1].text;
      for (std::size_t i = 3; i < command_.size(); ++i) add_values(command_[i], loop.values);
    }
    if (!loop.values.empty()) set_pass(loop);
    loops_.push_back(std::move(loop));
  }
  bool is_in_open_loop() const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [](const Loop& loop) { return loop.values.empty(); });
  }
  void set_pass(const Loop& loop) {
    Word& variable = out_.variables[loop.name];
    variable = loop.values[loop.pass];
    if (loop.values.size() > 1) variable.doubt = kLoopDoubt;
  }
  void end_pass() {
    if (loops_.empty()) return;
    Loop& loop = loops_.back();
    const bool is_condition =  // `done && ...`
        at_ < text_.size() && (here() == '&' || here() == '|') && next() == here();
    if (is_condition || ++loop.pass >= loop.values.size()) return loops_.pop_back();
    if (++passes_ > kMostPasses) {
      if (!out_.commands.empty()) out_.in_open_loop.insert(out_.commands.size() - 1);
      return loops_.pop_back();
    }
    set_pass(loop);
    std::tie(at_, line_, column_) = std::tuple(loop.at, loop.line, loop.column);
  }
  void end_command() {
    drop_keywords();
    if (command_.empty()) return;
    std::size_t first = 0;
    const std::string& lead = command_.front().text;
    if (lead == "for" || lead == "done") {
      lead == "for" ? begin_loop() : end_pass();
      return command_.clear();
    }
    if (lead == "export" || lead == "declare" || lead == "local" || lead == "readonly") first = 1;
    while (first < command_.size() && assign(command_[first])) ++first;
    std::vector<Word> rest(command_.begin() + static_cast<std::ptrdiff_t>(first), command_.end());
    if (!rest.empty() && is_in_open_loop()) out_.in_open_loop.insert(out_.commands.size());
    if (!rest.empty()) out_.commands.push_back(std::move(rest));
    command_.clear();
  }
  // `&&` and `||`: what follows a test runs only where it holds.
  void end_condition() {
    const bool is_test = !command_.empty() && is_among(kTests, command_.front().text);
    const bool is_other = here() == '|';
    end_word();
    end_command();
    follows_test_ = follows_test_ || is_test || is_other;
    forward();
    forward();
  }
  bool is_in_doubt() const { return branches_ > 0 || follows_test_; }
  bool assign(const Word& word) {
    const auto equals = word.text.find('=');
    if (equals == std::string::npos || equals == 0 || !is_name(word.text[0], true)) return false;
    for (std::size_t i = 1; i < equals; ++i)
      if (!is_name(word.text[i], false)) return false;
    Word value = word;
    value.text = word.text.substr(equals + 1);
    value.column += static_cast<std::uint32_t>(equals + 1);
    value.sure = word.sure > equals ? word.sure - equals - 1 : 0;
    Word& variable = out_.variables[word.text.substr(0, equals)];
    if (is_in_doubt() && value.text != variable.text) {
      // What a branch puts behind a value leaves that value as sure as it was.
      const bool adds = value.text.starts_with(variable.text) && variable.doubt.empty();
      value.sure = adds ? variable.text.size() : 0;
      value.doubt = kBranchDoubt;
    }
    if (value.text.size() > kMostText) {
      value.text.resize(kMostText);
      value.is_known = false;
    }
    variable = std::move(value);
    return true;
  }

  void step() {
    const char c = here();
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
    if ((c == '&' || c == '|') && next() == c && !in_array_) return end_condition();
    if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '(' || c == ')') {
      end_word();
      if (!in_array_) end_command();
      follows_test_ = false;
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
  void plain() {
    word().text += here();
    forward();
  }
  // `<<EOF`, whose text begins on the next line, and `<<< word`.
  void here_document() {
    forward();
    forward();
    if (at_ < text_.size() && here() == '<') return forward();
    if (at_ < text_.size() && here() == '-') forward();
    while (at_ < text_.size() && is_blank(here())) forward();
    std::string end;
    while (at_ < text_.size() && !is_blank(here()) &&
           std::string_view("\n;|&<>()").find(here()) == std::string_view::npos) {
      if (std::string_view("'\"\\").find(here()) == std::string_view::npos) end += here();
      forward();
    }
    if (!end.empty()) ends_.push_back(std::move(end));
  }
  void skip_here_documents() {
    for (const std::string& end : ends_) {
      Word inside{{}, line_, 1, true};
      while (at_ < text_.size()) {
        const auto stop = std::min(text_.find('\n', at_), text_.size());
        std::string_view line = text_.substr(at_, stop - at_);
        while (at_ < stop) forward();
        if (at_ < text_.size()) forward();
        while (line.ends_with('\r')) line.remove_suffix(1);
        if (line.substr(std::min(line.find_first_not_of('\t'), line.size())) == end) break;
        inside.text += std::string(line) + "\n";
      }
      out_.here_documents.push_back(std::move(inside));
    }
    ends_.clear();
  }
  // A quote that the text ends in.
  void leave_unclosed(std::uint32_t line, std::uint32_t column) {
    if (at_ >= text_.size() && !out_.unclosed) out_.unclosed = Word{"\"", line, column, true};
  }
  void continue_line() {
    while (here() != '\n') {
      forward();
      if (at_ >= text_.size()) return;
    }
    forward();
    end_word();
  }
  void escape() {
    word();
    forward();
    if (at_ >= text_.size()) return;
    word().text += here();
    forward();
  }
  void single() {
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
  void in_quotes() {
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
  void comment() {
    Word word{{}, line_, column_, true};
    while (at_ < text_.size() && here() != '\n') {
      word.text += here();
      forward();
    }
    out_.comments.push_back(std::move(word));
  }
  void begin_array() {
    array_name_ = current_.text;
    array_name_.pop_back();
    const bool adds = array_name_.ends_with('+');
    if (adds) array_name_.pop_back();
    if (!adds) arrays_[array_name_].clear();
    open_ = false;
    in_array_ = true;
    array_.clear();
    forward();
  }
  void end_array() {
    end_word();
    auto& array = arrays_[array_name_];
    if (is_in_doubt())
      for (Word& item : array_)
        if (item.doubt.empty()) item.doubt = kBranchDoubt;
    array.insert(array.end(), array_.begin(), array_.end());
    in_array_ = false;
    forward();
  }

  // Behind `$`.
  void expand(bool is_quoted) {
    forward();
    if (at_ >= text_.size()) {
      word().text += '$';
      return;
    }
    if (here() == '(') return expand_command();
    if (here() == '{') return expand_braces(is_quoted);
    if (is_name(here(), true)) {
      std::string name;
      while (at_ < text_.size() && is_name(here(), false)) {
        name += here();
        forward();
      }
      return put(name, std::nullopt, is_quoted);
    }
    const char c = here();
    forward();
    if (c == '@' || c == '*') {
      spliced_ = true;
      return;
    }
    word().text += std::string("$") + c;
    current_.is_known = false;
  }
  void expand_command() {
    const bool is_sum = next() == '(';
    int depth = 0;
    std::string inside;
    do {
      if (here() == '(') ++depth;
      if (here() == ')') --depth;
      inside += here();
      forward();
    } while (at_ < text_.size() && depth > 0);
    if (is_sum && inside.size() >= 4) {
      std::string doubt;
      if (const auto sum = computed(inside.substr(2, inside.size() - 4), out_.variables, doubt)) {
        word().text += std::to_string(*sum);
        if (current_.doubt.empty()) current_.doubt = doubt;
        return;
      }
    }
    word().text += "$" + inside;
    current_.is_known = false;
  }
  void expand_braces(bool is_quoted) {
    forward();
    std::string inside;
    int depth = 1;
    while (at_ < text_.size()) {
      if (here() == '{') ++depth;
      if (here() == '}' && --depth == 0) break;
      inside += here();
      forward();
    }
    if (at_ < text_.size()) forward();
    std::size_t end = 0;
    while (end < inside.size() && is_name(inside[end], false)) ++end;
    const std::string name = inside.substr(0, end);
    const std::string rest = inside.substr(end);
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) return splice(name);
    if (inside.starts_with("@")) {
      spliced_ = true;
      return;
    }
    std::optional<std::string> otherwise;
    if (rest.starts_with(":-") || rest.starts_with(":=")) otherwise = rest.substr(2);
    if (rest.starts_with("-") || rest.starts_with("=")) otherwise = rest.substr(1);
    put(name, otherwise, is_quoted);
  }
  void splice(const std::string& name) {
    spliced_ = true;
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) return;
    const std::vector<Word> items = found->second;
    if (open_ && !current_.text.empty()) end_word();
    for (const Word& item : items) {
      if (count_ > kMostWords) return;
      push(item);
    }
  }
  void put(const std::string& name, const std::optional<std::string>& otherwise, bool is_quoted) {
    const auto found = out_.variables.find(name);
    const bool is_set = found != out_.variables.end() && !name.empty();
    if (!is_set && !otherwise) {
      word().text += "${" + name + "}";
      current_.is_known = false;
      return;
    }
    if (!is_set && otherwise->starts_with("$")) {
      // A default that is a variable itself: as far as its own default.
      const auto dash = otherwise->rfind(":-");
      const auto end = otherwise->find('}', dash == std::string::npos ? 0 : dash);
      if (dash != std::string::npos && end != std::string::npos) {
        word().text += otherwise->substr(dash + 2, end - dash - 2);
        current_.doubt = "the default of " + name;
      } else {
        word().text += *otherwise;
        current_.is_known = false;
      }
      return;
    }
    const Word value = is_set ? found->second : unquoted_default(name, *otherwise);
    if (is_quoted) {
      const std::size_t before = word().text.size();
      word().text += value.text;
      current_.is_known = current_.is_known && value.is_known;
      if (current_.doubt.empty() && !value.doubt.empty()) {
        current_.doubt = value.doubt;
        current_.sure = before + value.sure;
      }
      return;
    }
    put_split(value);
  }
  Word unquoted_default(const std::string& name, std::string text) const {
    std::erase(text, '"');
    return {std::move(text), line_, column_, true, "the default of " + name};
  }
  // An unquoted value is cut at its blanks.
  void put_split(const Word& value) {
    std::uint32_t line = value.line;
    for (std::size_t i = 0; i < value.text.size(); ++i) {
      const char c = value.text[i];
      if (c == '\n') ++line;
      if (c == '\n' || is_blank(c)) {
        end_word();
        if (count_ > kMostWords) return;
        continue;
      }
      if (!open_) {
        current_ = {{}, line, line == value.line ? value.column : 1, true};
        open_ = true;
      }
      current_.text += c;
      // What is not known of a value stands in it as it was written.
      if (c == '$' && !value.is_known) current_.is_known = false;
      if (i >= value.sure && current_.doubt.empty()) current_.doubt = value.doubt;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
  bool open_ = false;
  bool spliced_ = false;
  Word current_;
  std::vector<Word> command_;
  bool in_array_ = false;
  std::string array_name_;
  std::vector<Word> array_;
  std::map<std::string, std::vector<Word>> arrays_;
  std::size_t count_ = 0;
  int branches_ = 0;           // Of `if` and `case` around what is read,
  bool follows_test_ = false;  // and a test before it in the same line.
  std::vector<Loop> loops_;    // Around it too,
  std::size_t passes_ = 0;     // and how often one of them began anew.
  std::vector<std::string> ends_;
  ShellText out_;
};

}  // namespace

ShellText read_shell(std::string_view text, Variables variables) {
  return ShellReader(text, std::move(variables)).read();
}

std::vector<Word> split_words(std::string_view text, std::uint32_t line, std::uint32_t column) {
  std::vector<Word> words;
  std::size_t at = 0;
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

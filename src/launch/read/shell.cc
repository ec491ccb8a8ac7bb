#include "launch/read/shell.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>

#include "launch/read/shell_values.h"

namespace loadfactor::launch {
namespace {

constexpr std::size_t kMostWords = 200'000;   // Arrays that hold each other would grow for ever,
constexpr std::size_t kMostText = 1 << 16;    // and so would variables,
constexpr std::size_t kMostPasses = 1024;     // and loops within loops,
constexpr std::size_t kMostReread = 1 << 24;  // which would be read for minutes,
constexpr std::size_t kMostCalls = 8;         // and functions that call each other.
constexpr std::size_t kArguments = 9;         // Those that a name of one digit has.

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

// A place in the text.
struct Spot {
  std::size_t at = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

// A function of the script, from the brace that opens it to the one that closes it.
struct Function {
  Spot begin;
  std::size_t end = 0;
  bool is_called = false;
};

// A call that is being read: where it ends, and where the reading goes on.
struct Call {
  std::size_t end = 0;
  Spot back;
  std::vector<Word> arguments = {};
  int branches = 0;
  std::size_t loops = 0;
};

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
    } while ((at_ < text_.size() || call_uncalled()) && count_ < kMostWords);
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
      for (std::size_t i = 3; i < command_.size(); ++i)
        add_values(command_[i], out_.variables, loop.values);
    }
    if (!loop.values.empty()) set_pass(loop);
    loops_.push_back(std::move(loop));
  }
  bool is_in_open_loop() const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [](const Loop& loop) { return loop.values.empty(); });
  }
  // Whether so much of the text may be read once more.
  bool may_reread(std::size_t length) {
    reread_ += length;
    return ++passes_ <= kMostPasses && reread_ <= kMostReread;
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
    if (!may_reread(at_ - std::min(at_, loop.at))) {
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
    if (!rest.empty() && rest.front().text == "shift" && !calls_.empty()) shift();
    if (!rest.empty() && call(rest)) return command_.clear();
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

  Spot spot() const { return {at_, line_, column_}; }
  void go_to(const Spot& spot) {
    std::tie(at_, line_, column_) = std::tuple(spot.at, spot.line, spot.column);
  }
  // `name() {` or `function name {`: what it does is read where it is called.
  bool begin_function() {
    const bool has_keyword = !command_.empty() && command_.front().text == "function";
    const std::size_t names = command_.size() - (has_keyword ? 1 : 0) + (open_ ? 1 : 0);
    const bool has_parentheses = here() == '(' && next() == ')';
    if (names != 1 || in_array_ || !(has_parentheses || (has_keyword && here() == '{')))
      return false;
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
    functions_[name] = made;
    open_ = false;
    command_.clear();
    forward();
    return true;
  }
  // From the brace that opens a body to the one that closes it; false where none does.
  bool skip_body() {
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
  // Whether a command is a function of the script, which is read then with its arguments.
  bool call(const std::vector<Word>& words) {
    const auto found = functions_.find(words.front().text);
    if (found == functions_.end() || calls_.size() >= kMostCalls ||
        !may_reread(found->second.end - found->second.begin.at))
      return false;
    enter(found->second, std::vector<Word>(words.begin() + 1, words.end()));
    return true;
  }
  void enter(Function& function, std::vector<Word> arguments) {
    function.is_called = true;
    calls_.push_back({function.end, spot(), std::move(arguments), branches_, loops_.size()});
    put_arguments();
    go_to(function.begin);
  }
  // A function that the script leaves to others to call is read once, with arguments unknown.
  bool call_uncalled() {
    for (auto& [name, function] : functions_) {
      if (function.is_called) continue;
      enter(function, {});
      return true;
    }
    return false;
  }
  // Those of the innermost call; none outside of all.
  void put_arguments() {
    const std::vector<Word> arguments =
        calls_.empty() ? std::vector<Word>() : calls_.back().arguments;
    for (std::size_t i = 0; i < kArguments; ++i) {
      const std::string name = std::to_string(i + 1);
      if (i < arguments.size())
        out_.variables[name] = arguments[i];
      else
        out_.variables.erase(name);
    }
    arrays_["@"] = arguments;
  }
  void shift() {
    auto& arguments = calls_.back().arguments;
    if (!arguments.empty()) arguments.erase(arguments.begin());
    put_arguments();
  }
  // True where a body ends here; what called it goes on.
  bool leave() {
    if (calls_.empty() || at_ != calls_.back().end) return false;
    end_word();
    if (!command_.empty()) return end_command(), true;
    const Call done = std::move(calls_.back());
    calls_.pop_back();
    branches_ = done.branches;
    loops_.resize(std::min(loops_.size(), done.loops));
    put_arguments();
    go_to(done.back);
    return true;
  }

  void step() {
    if (leave()) return;
    const char c = here();
    if ((c == '(' || c == '{') && begin_function()) return;
    if (c == '(' && next() == '(' && !open_ && command_.size() == 1 &&
        command_.front().text == "for")
      return count_loop();
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
  // `for ((i = 0; i < 4; i++))` as the list that it goes through.
  void count_loop() {
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
  // What another program prints, as `$(...)`.
  void expand_backticks() {
    word();
    forward();
    const auto end = std::min(text_.find('`', at_), text_.size());
    current_.text += "$(" + std::string(text_.substr(at_, end - at_)) + ")";
    current_.is_known = false;
    while (at_ < std::min(end + 1, text_.size())) forward();
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
    if (c == '@' || c == '*') return splice("@");
    if (out_.variables.contains(std::string_view(&c, 1)))
      return put(std::string(1, c), std::nullopt, is_quoted);
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
    const bool is_of_array = inside.starts_with('!') || inside.starts_with('#');
    if (is_of_array && (inside.ends_with("[@]") || inside.ends_with("[*]")))
      return expand_size(inside.substr(1, inside.size() - 4), inside.starts_with('!'));
    std::size_t end = 0;
    while (end < inside.size() && is_name(inside[end], false)) ++end;
    const std::string name = inside.substr(0, end);
    const std::string rest = inside.substr(end);
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) return splice(name);
    if (inside.starts_with("@")) return splice("@");
    if (rest.starts_with("[") && rest.ends_with("]") &&
        put_item(name, rest.substr(1, rest.size() - 2), is_quoted))
      return;
    std::optional<std::string> otherwise;
    if (rest.starts_with(":-") || rest.starts_with(":=")) otherwise = rest.substr(2);
    if (rest.starts_with("-") || rest.starts_with("=")) otherwise = rest.substr(1);
    put(name, otherwise, is_quoted);
  }
  // `${#name[@]}`, how many an array holds, or `${!name[@]}`, where they stand in it.
  void expand_size(const std::string& name, bool lists) {
    const std::size_t size = arrays_[name].size();
    if (!lists) {
      word().text += std::to_string(size);
      return;
    }
    spliced_ = true;
    for (std::size_t i = 0; i < size && count_ < kMostWords; ++i)
      push({std::to_string(i), line_, column_, true});
  }
  // `${name[2]}` or `${name[$i]}`; false where it is not in the text.
  bool put_item(const std::string& name, const std::string& index, bool is_quoted) {
    const auto array = arrays_.find(name);
    std::string doubt;
    const auto at = computed(index, out_.variables, doubt);
    if (array == arrays_.end() || !at || *at < 0 ||
        *at >= static_cast<std::int64_t>(array->second.size()))
      return false;
    Word item = array->second[static_cast<std::size_t>(*at)];
    if (item.doubt.empty()) item.doubt = doubt;
    put_value(item, is_quoted);
    return true;
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
    put_value(value, is_quoted);
  }
  void put_value(const Word& value, bool is_quoted) {
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
    int inside = 0;  // What another program prints is one word, whatever its command looks like.
    for (std::size_t i = 0; i < value.text.size(); ++i) {
      const char c = value.text[i];
      if (c == '\n') ++line;
      if (c == '(' && !value.is_known) ++inside;
      if (c == ')' && inside > 0) --inside;
      if ((c == '\n' || is_blank(c)) && inside == 0) {
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
  std::size_t passes_ = 0;     // and how often one of them, or a function, began anew,
  std::size_t reread_ = 0;     // with how much of the text.
  std::map<std::string, Function> functions_;
  std::vector<Call> calls_;  // The innermost last.
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

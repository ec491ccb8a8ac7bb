// What stands behind `$` in a shell script.
#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "launch/shell/shell_reader.h"

namespace loadfactor::launch::shell {

namespace {

std::string default_doubt(const std::string& name) {
  const bool is_argument = name.find_first_not_of("0123456789") == std::string::npos;
  return (is_argument ? "the default of $" : "the default of ") + name;
}

}  // namespace

void ShellReader::expand(bool is_quoted) {
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
    put(name, std::nullopt, is_quoted);
    if (open_ && !is_quoted) name_ends_.push_back(current_.text.size());
    return;
  }
  const char c = here();
  // `$'a\tb'`: a quote whose escapes are not followed.
  if (c == '\'' && !is_quoted) {
    word().text += '$';
    current_.is_known = false;
    return;
  }
  forward();
  if (c == '@' || c == '*') return splice("@");
  if (out_.variables.contains(std::string_view(&c, 1)))
    return put(std::string(1, c), std::nullopt, is_quoted);
  word().text += std::string("$") + c;
  current_.is_known = false;
}

void ShellReader::expand_command() {
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

void ShellReader::expand_backticks() {
  word();
  forward();
  const auto end = std::min(text_.find('`', at_), text_.size());
  current_.text += "$(" + std::string(text_.substr(at_, end - at_)) + ")";
  current_.is_known = false;
  while (at_ < std::min(end + 1, text_.size())) forward();
}

void ShellReader::expand_braces(bool is_quoted) {
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
  if (rest == "[@]" || rest == "[*]") return splice(name);
  if (inside == "@") return splice("@");
  const bool is_list = rest.starts_with("[@]:") || inside.starts_with("@:");
  const std::string list = inside.starts_with('@') ? "@" : name;
  if (is_list && splice_part(list, inside.substr(inside.find(':') + 1))) return;
  if (rest.starts_with("[") && rest.ends_with("]") &&
      put_item(name, rest.substr(1, rest.size() - 2), is_quoted))
    return;
  if (rest.starts_with(":+") || rest.starts_with("+"))
    return put_if_set(name, rest.substr(rest.find('+') + 1), inside);
  if (!rest.empty() && std::string_view(":-=?").find(rest.front()) == std::string_view::npos)
    return put_unknown("${" + inside + "}");
  std::optional<std::string> otherwise;
  if (rest.starts_with(":-") || rest.starts_with(":=")) otherwise = rest.substr(2);
  if (rest.starts_with("-") || rest.starts_with("=")) otherwise = rest.substr(1);
  const bool assigns = rest.starts_with(":=") || rest.starts_with("=");
  const auto found = out_.variables.find(name);
  const bool is_empty =
      found != out_.variables.end() && found->second.is_known && found->second.text.empty();
  if (is_empty && otherwise && rest.starts_with(':')) {
    put_instead(Word(found->second), *otherwise, is_quoted);
    if (assigns && run() != Run::kNo) found->second.text = expanded(*otherwise).text;
    return;
  }
  put(name, otherwise, is_quoted);
  // `${NAME:=4}` sets it, too.
  const bool is_plain = otherwise && !otherwise->starts_with("$") && !name.empty();
  if (assigns && is_plain && run() != Run::kNo && !left_out_.contains(default_doubt(name)))
    out_.variables.try_emplace(name, unquoted_default(name, *otherwise));
}

void ShellReader::expand_size(const std::string& name, bool lists) {
  const std::size_t size = arrays_[name].size();
  if (!lists) {
    word().text += std::to_string(size);
    return;
  }
  spliced_ = true;
  for (std::size_t i = 0; i < size && count_ < kMostWords; ++i)
    push({std::to_string(i), line_, column_, true});
}

bool ShellReader::put_item(const std::string& name, const std::string& index, bool is_quoted) {
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

void ShellReader::splice(const std::string& name) {
  spliced_ = true;
  const auto found = arrays_.find(name);
  if (found == arrays_.end() && out_.variables.contains(name))
    return put(name, std::nullopt, false);
  if (found == arrays_.end()) return put_unknown(name == "@" ? "$@" : "${" + name + "[@]}");
  push_all(std::vector<Word>(found->second));
}

void ShellReader::push_all(const std::vector<Word>& items) {
  if (open_ && !current_.text.empty()) end_word();
  for (const Word& item : items) {
    if (count_ > kMostWords) return;
    push(item);
  }
}

bool ShellReader::splice_part(const std::string& name, const std::string& range) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) return false;
  const auto colon = std::min(range.find(':'), range.size());
  std::string doubt;
  const auto from = computed(range.substr(0, colon), out_.variables, doubt);
  const auto count = colon == range.size()
                         ? std::optional<std::int64_t>(kMostWords)
                         : computed(range.substr(colon + 1), out_.variables, doubt);
  // Arguments count from 1; before them stands the name of the script.
  const std::int64_t first = from.value_or(-1) - (name == "@" ? 1 : 0);
  if (!count || first < 0 || *count < 0 || !doubt.empty()) return false;
  spliced_ = true;
  const auto size = static_cast<std::int64_t>(found->second.size());
  const std::int64_t begin = std::min(first, size);
  const std::int64_t end = begin + std::min(*count, size - begin);
  push_all({found->second.begin() + begin, found->second.begin() + end});
  return true;
}

// What is set elsewhere, or changed in a way that is not followed, stands as it is written.
void ShellReader::put_unknown(const std::string& text) {
  word().text += text;
  current_.is_known = false;
}

Word ShellReader::expanded(const std::string& words) const {
  Word unknown{words, line_, column_, false};
  if (depth_ >= kMaxDepth) return unknown;
  std::string quoted = "v=\"";
  for (const char c : words) quoted += c == '"' ? std::string("\\\"") : std::string(1, c);
  ShellText inside = ShellReader(quoted + "\"", out_.variables, nullptr, depth_ + 1).read();
  const auto found = inside.variables.find("v");
  return found == inside.variables.end() ? unknown : found->second;
}

// `${NAME:+words}`: nothing where the script leaves it empty, and not known where it is not set.
void ShellReader::put_if_set(const std::string& name, const std::string& words,
                             const std::string& inside) {
  const auto found = out_.variables.find(name);
  if (found == out_.variables.end() || !found->second.is_known)
    return put_unknown("${" + inside + "}");
  if (found->second.text.empty()) return;
  Word value = expanded(words);
  value.line = line_;
  value.column = column_;
  if (value.doubt.empty()) value.doubt = found->second.doubt;
  put_split(value);
}

void ShellReader::put_instead(const Word& empty, const std::string& words, bool is_quoted) {
  std::string plain = words;
  std::erase(plain, '"');
  Word value = expanded(plain);
  value.line = line_;
  value.column = column_;
  if (value.doubt.empty()) value.doubt = empty.doubt;
  put_value(value, is_quoted);
}

void ShellReader::put(const std::string& name, const std::optional<std::string>& otherwise,
                      bool is_quoted) {
  const auto found = out_.variables.find(name);
  const bool is_set = found != out_.variables.end() && !name.empty();
  if (!is_set && otherwise && left_out_.contains(default_doubt(name)))
    return put_unknown("${" + name + "}");
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
      current_.doubt = default_doubt(name);
    } else {
      word().text += *otherwise;
      current_.is_known = false;
    }
    return;
  }
  const Word value = is_set ? found->second : unquoted_default(name, *otherwise);
  put_value(value, is_quoted);
}

void ShellReader::put_value(const Word& value, bool is_quoted) {
  // Between `[[` and `]]` no value is cut, and an empty one is a word.
  if (is_quoted || is_in_test() || is_in_assignment()) {
    const std::size_t before = word().text.size();
    if (before == 0 && value.origin != nullptr) {
      current_.line = value.line;
      current_.column = value.column;
      current_.origin = value.origin;
    }
    word().text += value.text;
    current_.is_known = current_.is_known && value.is_known;
    if (value.doubt.empty()) return;
    const bool is_first = current_.doubt.empty();
    if (is_first) current_.doubt = value.doubt;
    if (is_first) current_.sure = before + value.sure;
    if (is_first || current_.unsure_end != std::string::npos)
      current_.unsure_end = before + std::min(value.unsure_end, value.text.size());
    return;
  }
  put_split(value);
}

Word ShellReader::unquoted_default(const std::string& name, std::string text) const {
  std::erase(text, '"');
  return {std::move(text), line_, column_, true, default_doubt(name)};
}

void ShellReader::put_split(const Word& value) {
  std::uint32_t line = value.line;
  // Nothing behind `NAME=` may be something at run time.
  if (value.text.empty() && open_ && current_.doubt.empty()) {
    current_.doubt = value.doubt;
    current_.sure = current_.unsure_end = current_.text.size();
  }
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
      open_at(line, line == value.line ? value.column : 1);
      current_.origin = value.origin;
    }
    current_.text += c;
    // What is not known of a value stands in it as it was written.
    if (c == '$' && !value.is_known) current_.is_known = false;
    if (i >= value.sure && i < value.unsure_end && current_.doubt.empty())
      current_.doubt = value.doubt;
  }
}

}  // namespace loadfactor::launch::shell

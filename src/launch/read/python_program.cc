// Programs in Python that load an engine themselves: `LLM(model=…, tensor_parallel_size=…)` of vLLM
// and TensorRT-LLM, `Engine(model_path=…, tp_size=…)` of SGLang.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

// A class that loads a model, where its package is imported.
struct LoaderRow {
  std::string_view package;
  std::string_view name;
  std::string_view program;
};
constexpr std::array kLoaders{
    LoaderRow{"tensorrt_llm", "LLM", "tensorrt-llm"}, LoaderRow{"vllm", "LLM", "vllm"},
    LoaderRow{"vllm", "EngineArgs", "vllm"},          LoaderRow{"vllm", "AsyncEngineArgs", "vllm"},
    LoaderRow{"sglang", "Engine", "sglang"},          LoaderRow{"sglang", "ServerArgs", "sglang"},
};

// Arguments of TensorRT-LLM's class under the names of its flags.
struct NameRow {
  std::string_view argument;
  std::string_view flag;
};
constexpr std::array kTensorrtNames{NameRow{"tensor_parallel_size", "--tp_size"},
                                    NameRow{"pipeline_parallel_size", "--pp_size"},
                                    NameRow{"moe_expert_parallel_size", "--ep_size"},
                                    NameRow{"max_batch_size", "--max_batch_size"},
                                    NameRow{"max_num_tokens", "--max_num_tokens"},
                                    NameRow{"max_seq_len", "--max_seq_len"}};

bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Reads a text character by character and knows its line.
class Cursor {
 public:
  Cursor(std::string_view text, std::size_t from) : text_(text) {
    while (at_ < from) forward();
  }
  bool is_done() const { return at_ >= text_.size(); }
  char here() const { return text_[at_]; }
  std::size_t at() const { return at_; }
  std::uint32_t line() const { return line_; }
  std::uint32_t column() const { return column_; }
  void forward() {
    column_ = here() == '\n' ? 1 : column_ + 1;
    line_ += here() == '\n' ? 1 : 0;
    ++at_;
  }
  // Behind a string or a comment that begins here; false where none does.
  bool skip_literal() {
    if (here() == '#') {
      while (!is_done() && here() != '\n') forward();
      return true;
    }
    if (here() != '"' && here() != '\'') return false;
    const char quote = here();
    forward();
    while (!is_done() && here() != quote) {
      if (here() == '\\') forward();
      if (!is_done()) forward();
    }
    if (!is_done()) forward();
    return true;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t column_ = 1;
};

// The arguments between the bracket at `open` and the one that closes it, as they are written.
std::vector<Word> arguments_at(std::string_view text, std::size_t open) {
  std::vector<Word> arguments;
  Cursor cursor(text, open + 1);
  int depth = 0;
  Word current{{}, cursor.line(), cursor.column(), true};
  const auto end_argument = [&] {
    current.text = std::string(trimmed(current.text));
    if (!current.text.empty()) arguments.push_back(current);
    current = {{}, 0, 0, true};
  };
  while (!cursor.is_done()) {
    const char c = cursor.here();
    const std::size_t from = cursor.at();
    if (current.line == 0 && std::isspace(static_cast<unsigned char>(c)) == 0 && c != ',')
      current = {{}, cursor.line(), cursor.column(), true};
    if ((c == ')' || c == '}') && depth == 0) break;
    if (cursor.skip_literal()) {
      if (c != '#') current.text += text.substr(from, cursor.at() - from);
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    cursor.forward();
    if (c == ',' && depth == 0)
      end_argument();
    else
      current.text += c;
  }
  end_argument();
  return arguments;
}

// A string without its quotes, a number without its underscores; nothing where it is neither.
std::optional<std::string> literal(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  const char quote = text.front();
  if (quote == '"' || quote == '\'') {
    const auto end = text.find(quote, 1);
    if (end == std::string_view::npos || !trimmed(text.substr(end + 1)).empty())
      return std::nullopt;
    return std::string(text.substr(1, end - 1));
  }
  if (text == "True" || text == "False") return text == "True" ? "true" : "false";
  std::string digits;
  for (const char c : text) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-' &&
        c != 'e')
      return std::nullopt;
    if (c != '_') digits += c;
  }
  const bool is_number =
      !digits.empty() && std::isdigit(static_cast<unsigned char>(digits.back())) != 0;
  return is_number ? std::optional(digits) : std::nullopt;
}

// `TP = 4` anywhere in the program; a name that is given two values is not known.
std::optional<std::string> value_of_name(const Source& source, std::string_view name) {
  std::optional<std::string> found;
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    std::string_view text = trimmed(source.lines.line(source.text, line));
    if (!text.starts_with(name)) continue;
    text = trimmed(text.substr(name.size()));
    if (!text.starts_with("=") || text.starts_with("==")) continue;
    text = text.substr(1);
    if (const auto mark = text.find(" #"); mark != std::string_view::npos)
      text = text.substr(0, mark);
    const auto value = literal(text);
    if (!value || (found && *found != *value)) return std::nullopt;
    found = value;
  }
  return found;
}

std::string flag_of(std::string_view program, std::string_view argument) {
  if (program == "tensorrt-llm") {
    for (const auto& [theirs, flag] : kTensorrtNames)
      if (theirs == argument) return std::string(flag);
    return "--" + std::string(argument);
  }
  std::string flag = "--" + std::string(argument);
  std::replace(flag.begin() + 2, flag.end(), '_', '-');
  return flag;
}

// An argument by its name; without one it is the first, the model.
struct NamedArgument {
  std::string name;
  std::string_view written;
};

// `tensor_parallel_size=TP`, or `"tensor_parallel_size": TP` of a map.
NamedArgument argument_of(const Word& argument) {
  const std::string_view text = argument.text;
  std::size_t end = 0;
  while (end < text.size() && is_name(text[end])) ++end;
  const std::string_view rest = trimmed(text.substr(end));
  if (end > 0 && rest.starts_with("=") && !rest.starts_with("=="))
    return {std::string(text.substr(0, end)), trimmed(rest.substr(1))};
  const auto colon = text.find(':');
  const bool is_entry = text.starts_with('"') || text.starts_with('\'');
  const auto key = is_entry ? literal(text.substr(0, colon)) : std::nullopt;
  if (key && colon != std::string_view::npos && std::all_of(key->begin(), key->end(), is_name))
    return {*key, trimmed(text.substr(colon + 1))};
  return {{}, text};
}

// Arguments of one call as the words of a command line.
class CallReader {
 public:
  CallReader(const Source& source, std::string_view program) : source_(source), program_(program) {}

  std::vector<Word> read(std::size_t open) {
    for (const Word& argument : arguments_at(source_.text, open)) add(argument);
    words_.insert(words_.end(), open_.begin(), open_.end());
    return std::move(words_);
  }

 private:
  void add(const Word& argument) {
    if (argument.text.starts_with("**")) return unpack(argument);
    const auto [name, written] = argument_of(argument);
    // The values behind the model have names in all that people write.
    if (written == "None" || (name.empty() && !words_.empty())) return;
    Word value = argument;
    const auto known = literal(written);
    const auto found = known ? known : value_of_name(source_, written);
    value.text = found ? *found : std::string(written);
    value.is_known = found.has_value();
    const bool is_model = name.empty() || (program_ == "tensorrt-llm" && name == "model");
    Word flag = argument;
    flag.text = flag_of(program_, name.empty() ? "model" : name);
    if (!is_model || program_ != "tensorrt-llm") words_.push_back(std::move(flag));
    words_.push_back(std::move(value));
  }
  // `**settings`: the entries of a map that the text holds. What else fills it may be anything.
  void unpack(const Word& argument) {
    const std::string_view name = trimmed(std::string_view(argument.text).substr(2));
    const auto [open, is_all] = map_of_name(name);
    if (open != std::string_view::npos && depth_ < kMostMaps) {
      ++depth_;
      for (const Word& entry : arguments_at(source_.text, open)) add(entry);
      --depth_;
    }
    if (is_all) return;
    open_.push_back(argument);
    open_.back().is_known = false;
  }
  struct Map {
    std::size_t open = std::string_view::npos;
    bool is_all = false;  // Whether nothing else of the text changes it.
  };
  // `settings = dict(` or `settings = {`, where it is set once.
  Map map_of_name(std::string_view name) const {
    Map map;
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name)) return map;
    const std::string_view text = source_.text;
    bool changes = false;
    int set = 0;
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
      if (at > 0 && (is_name(text[at - 1]) || text[at - 1] == '*' || text[at - 1] == '.')) continue;
      std::string_view rest = text.substr(at + name.size());
      if (!rest.empty() && is_name(rest.front())) continue;
      const auto blank = rest.find_first_not_of(" \t");
      rest.remove_prefix(std::min(blank, rest.size()));
      changes = changes || rest.starts_with('[') || rest.starts_with('.') || rest.starts_with("|=");
      if (!rest.starts_with('=') || rest.starts_with("==")) continue;
      ++set;
      const auto value = rest.find_first_not_of(" \t=");
      rest.remove_prefix(std::min(value, rest.size()));
      const std::size_t from = text.size() - rest.size();
      if (rest.starts_with('{')) map.open = from;
      if (rest.starts_with("dict(")) map.open = from + 4;
    }
    if (set != 1) map.open = std::string_view::npos;
    map.is_all = map.open != std::string_view::npos && !changes;
    return map;
  }

  static constexpr int kMostMaps = 4;  // Maps in maps.
  const Source& source_;
  std::string_view program_;
  std::vector<Word> words_;
  std::vector<Word> open_;  // Those that may hold any argument.
  int depth_ = 0;
};

bool imports(const Source& source, std::string_view package) {
  for (std::uint32_t line = 1; line <= source.lines.size(); ++line) {
    std::string_view text = trimmed(source.lines.line(source.text, line));
    const bool is_import = text.starts_with("import ") || text.starts_with("from ");
    if (!is_import) continue;
    text.remove_prefix(text.find(' ') + 1);
    if (text.starts_with(package) &&
        (text.size() == package.size() || !is_name(text[package.size()])))
      return true;
  }
  return false;
}

// Where `name(` is called first.
std::optional<std::size_t> call_of(std::string_view text, std::string_view name) {
  const std::string call = std::string(name) + "(";
  for (auto at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
    const bool is_part = at > 0 && is_name(text[at - 1]);
    const auto line = text.rfind('\n', at) + 1;
    const bool is_comment = trimmed(text.substr(line, at - line)).starts_with('#');
    if (!is_part && !is_comment) return at;
  }
  return std::nullopt;
}

}  // namespace

bool looks_like_python(const Source& source) {
  return source.name.ends_with(".py") ||
         std::any_of(kLoaders.begin(), kLoaders.end(),
                     [&](const LoaderRow& row) { return imports(source, row.package); });
}

void read_python(const Source& source, Findings& findings) {
  for (const auto& [package, name, program] : kLoaders) {
    const auto at = imports(source, package) ? call_of(source.text, name) : std::nullopt;
    if (!at) continue;
    const std::vector<Word> words = CallReader(source, program).read(*at + name.size());
    const Cursor cursor(source.text, *at);
    const Place place{&source, cursor.line(), cursor.column(),
                      static_cast<std::uint32_t>(name.size())};
    const Invocation call{.source = source, .words = words, .at = place};
    if (program == "tensorrt-llm")
      read_tensorrt_llm(call, findings);
    else
      read_program_flags(program, call, findings);
    findings.remark(
        "the program asks the engine itself, without a server: what it asks is the demand", place);
    return;
  }
}

}  // namespace loadfactor::launch

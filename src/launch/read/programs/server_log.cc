// The line in which a server says at its start how it runs: vLLM's arguments and its
// configuration, SGLang's arguments. Values are written as Python shows them.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

// Where the values begin behind the words of a log, and which program writes them.
struct OpeningRow {
  std::string_view words;
  std::string_view program;
  char close;              // What ends them; none: the line.
  bool has_all_arguments;  // Defaults among them.
};
constexpr std::array kOpenings{
    OpeningRow{"non-default args: {", "vllm", '}', false},
    OpeningRow{"args: Namespace(", "vllm", ')', true},
    OpeningRow{"server_args=ServerArgs(", "sglang", ')', true},
    OpeningRow{"server_args: ServerArgs(", "sglang", ')', true},
    OpeningRow{"with config: model=", "vllm", '\0', true},
};

const OpeningRow* opening_of(std::string_view text, std::size_t& at) {
  for (const OpeningRow& row : kOpenings) {
    at = text.find(row.words);
    if (at == std::string_view::npos) continue;
    at += row.words.size();
    if (row.close == '\0') at -= std::string_view("model=").size();
    return &row;
  }
  return nullptr;
}

struct Value {
  std::string name;
  std::string text;  // Without its quotes.
  std::size_t at = 0;
};

// `name=value, name=value` or `'name': value`; commas inside quotes and brackets part nothing.
class ValueReader {
 public:
  ValueReader(std::string_view text, std::size_t at, char close)
      : text_(text), at_(at), close_(close) {}

  std::vector<Value> read() {
    std::vector<Value> values;
    while (!is_over()) {
      while (!is_over() && (text_[at_] == ' ' || text_[at_] == ',')) ++at_;
      const std::string name = take_name();
      if (name.empty() || is_over()) break;
      while (!is_over() && text_[at_] == ' ') ++at_;
      const std::size_t from = at_;
      values.push_back({name, take_value(), from});
    }
    is_whole_ = close_ == '\0' || (at_ < text_.size() && text_[at_] == close_);
    return values;
  }
  // Whether they end as they began; a line that was cut leaves some of them out.
  bool is_whole() const { return is_whole_; }

 private:
  bool is_over() const {
    return at_ >= text_.size() || text_[at_] == '\n' || (close_ != '\0' && text_[at_] == close_);
  }
  std::string take_name() {
    std::string name;
    while (!is_over() && text_[at_] != '=' && text_[at_] != ':')
      if (const char c = text_[at_++]; c != '\'' && c != '"') name += c;
    if (!is_over()) ++at_;
    return name;
  }
  std::string take_value() {
    if (!is_over() && (text_[at_] == '\'' || text_[at_] == '"')) return take_quoted();
    const std::size_t from = at_;
    int depth = 0;
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || (close_ != '\0' && c == close_))) break;
      if (c == '\'' || c == '"') {
        take_quoted();
        --at_;
      } else if (std::string_view("([{<").find(c) != std::string_view::npos) {
        ++depth;
      } else if (std::string_view(")]}>").find(c) != std::string_view::npos) {
        --depth;
      }
    }
    return std::string(text_.substr(from, at_ - from));
  }
  std::string take_quoted() {
    const char quote = text_[at_++];
    std::string value;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') value += text_[at_++];
    if (at_ < text_.size() && text_[at_] == quote) ++at_;
    return value;
  }

  std::string_view text_;
  std::size_t at_;
  char close_;
  bool is_whole_ = true;
};

// What a configuration calls otherwise than the flag that sets it.
struct NameRow {
  std::string_view theirs, flag;
};
constexpr std::array kNames{NameRow{"max_seq_len", "--max-model-len"},
                            NameRow{"model_tag", "--model"},
                            NameRow{"chunked_prefill_enabled", "--enable-chunked-prefill"}};

std::string flag_of(const std::string& name) {
  for (const auto& [theirs, flag] : kNames)
    if (name == theirs) return std::string(flag);
  std::string flag = "--" + name;
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

class ServerLog {
 public:
  ServerLog(const Source& source, const OpeningRow& row)
      : source_(source), row_(row), program_(read_program(row.program)) {}

  std::vector<Word> words(const std::vector<Value>& values) {
    const bool has_model = std::any_of(values.begin(), values.end(),
                                       [](const Value& each) { return each.name == "model"; });
    for (const Value& each : values)
      if (each.name != "model_tag" || !has_model) add(each);
    return std::move(words_);
  }
  Word word(std::string text, std::size_t at) const {
    const auto start = source_.text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t first = start == std::string::npos ? 0 : start + 1;
    const auto line = std::count(source_.text.begin(),
                                 source_.text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    return {std::move(text), static_cast<std::uint32_t>(line + 1),
            static_cast<std::uint32_t>(at - first + 1), true};
  }

 private:
  void add(const Value& each) {
    constexpr std::string_view kTorch = "torch.";
    std::string value = each.text;
    if (value.starts_with(kTorch)) value.erase(0, kTorch.size());
    if (value.empty() || value == "None" || value == "[]" || value == "{}") return;
    const std::string flag = flag_of(each.name);
    const auto match = program_.find(flag);
    if (!match) {
      if (!row_.has_all_arguments) words_.push_back(word(flag + "=" + value, each.at));
      return;
    }
    const bool is_bare =
        match->flag->kind == FlagKind::kSwitch || match->flag->kind == FlagKind::kToggle;
    // What proposes tokens is an object of Python, and told all the same.
    const bool proposes = match->flag->name == "--speculative-config";
    if (row_.has_all_arguments && !proposes && is_default(*match->flag, value)) return;
    words_.push_back(word(flag, each.at));
    if (!is_bare || value == "False") words_.push_back(word(value, each.at));
  }
  // Arguments that are as they always are say nothing; objects of Python are no value of a flag.
  static bool is_default(const Flag& flag, const std::string& value) {
    std::string plain = value;
    if (plain == "True" || plain == "False") plain[0] = plain[0] == 'T' ? 't' : 'f';
    const bool is_plain_switch = flag.kind == FlagKind::kSwitch && plain == "false";
    const bool is_object = value.find('(') != std::string::npos || value.starts_with('<');
    const bool is_foreign = flag.kind == FlagKind::kWord && !value_fault(flag, value).empty();
    return plain == flag.otherwise || plain == "auto" || is_plain_switch || is_object || is_foreign;
  }

  const Source& source_;
  const OpeningRow& row_;
  Program program_;
  std::vector<Word> words_;
};

}  // namespace

bool looks_like_server_log(const Source& source) {
  std::size_t at = 0;
  return opening_of(source.text, at) != nullptr;
}

void read_server_log(const Source& source, Findings& findings) {
  std::size_t at = 0;
  const OpeningRow* row = opening_of(source.text, at);
  if (row == nullptr) return;
  ServerLog log(source, *row);
  ValueReader reader(source.text, at, row->close);
  const auto words = log.words(reader.read());
  const Word opening = log.word("", at);
  if (!reader.is_whole())
    return findings.error(lf::kSyntax, place_of(source, opening),
                          "the line ends before its values do", "give the whole line of the log");
  read_program_flags(row->program, {source, words, place_of(source, opening)}, findings);
}

}  // namespace loadfactor::launch

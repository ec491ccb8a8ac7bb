#include "launch/findings/secrets.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace loadfactor::launch {
namespace {

bool is_letter_or_digit(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
bool is_of_name(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '-' || c == '.';
}
bool is_all_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// `HF_TOKEN`, `hf-token` and `hfToken` are two words, in small letters; numbers behind them are
// left out.
std::vector<std::string> words_of_name(std::string_view name) {
  std::vector<std::string> words(1);
  char before = '\0';
  for (const char c : name) {
    const bool is_hump = std::isupper(static_cast<unsigned char>(c)) != 0 &&
                         std::islower(static_cast<unsigned char>(before)) != 0;
    if (!is_letter_or_digit(c) || is_hump) words.emplace_back();
    if (is_letter_or_digit(c))
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    before = c;
  }
  std::erase_if(words, [](const std::string& word) { return is_all_digits(word); });
  if (!words.empty()) words.back().erase(words.back().find_last_not_of("0123456789") + 1);
  return words;
}

// What services begin their tokens with.
constexpr std::array<std::string_view, 14> kTokenStarts{
    "hf_",   "sk-",    "sk_",  "ghp_", "gho_", "github_pat_", "glpat-",
    "xoxb-", "nvapi-", "AKIA", "eyJ",  "gsk_", "AIza",        "Bearer "};

// Reads a text for values of secrets, name by name.
class SecretScan {
 public:
  SecretScan(std::string_view text, Secrets& secrets) : text_(text), secrets_(secrets) {}

  void run() {
    while (at_ < text_.size()) {
      if (!is_of_name(text_[at_])) {
        credentials();
        ++at_;
        continue;
      }
      const std::size_t from = at_;
      while (at_ < text_.size() && is_of_name(text_[at_])) ++at_;
      by_look(from);
      const std::string_view name = text_.substr(from, at_ - from);
      if (is_secret_name(name)) value_behind(from, name);
    }
  }

 private:
  char here(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  // `https://user:password@host`.
  void credentials() {
    if (!text_.substr(at_).starts_with("://")) return;
    const std::string_view rest = text_.substr(at_ + 3);
    const std::string_view host = rest.substr(0, rest.find_first_of("/ \t\r\n\"'"));
    const auto colon = host.find(':');
    const auto end = host.rfind('@');
    if (end != std::string_view::npos && colon < end)
      secrets_.keep(host.substr(colon + 1, end - colon - 1));
  }
  void by_look(std::size_t from) {
    constexpr std::size_t kShortest = 16;
    constexpr std::string_view kBearer = "Bearer";
    const std::string_view word = text_.substr(from, at_ - from);
    const std::size_t next = text_.find_first_not_of(' ', at_);
    if (word == kBearer && next != std::string_view::npos) secrets_.keep(unquoted(next));
    const bool has_digit = word.find_first_of("0123456789") != std::string_view::npos;
    // Names of files and variables have several parts, where tokens of Hugging Face have one.
    constexpr std::string_view kHub = "hf_";
    if (word.starts_with(kHub) && word.find_first_of("_-.", kHub.size()) != std::string_view::npos)
      return;
    for (const std::string_view start : kTokenStarts)
      if (has_digit && word.size() >= kShortest && word.starts_with(start)) secrets_.keep(word);
  }
  std::string_view unquoted(std::size_t from) const {
    const auto end = text_.find_first_of(" \t\r\n\"'`\\,;&|()[]{}<>", from);
    return text_.substr(from, end == std::string_view::npos ? end : end - from);
  }
  std::size_t behind_any(std::size_t from, std::string_view of) const {
    return std::min(text_.find_first_not_of(of, from), text_.size());
  }
  // Where the value of a name begins; nothing is behind it: the end of the text.
  void value_behind(std::size_t from, std::string_view name) {
    const bool is_variable =
        from > 0 && (text_[from - 1] == '$' || (text_[from - 1] == '{' && here(from - 2) == '$'));
    const bool is_flag = name.starts_with('-');
    const std::size_t close = behind_any(at_, "\"'\\");
    const std::size_t next = behind_any(close, " \t");
    // `${API_KEY:-otherwise}`.
    if (is_variable) {
      if (here(next) == ':' && (here(next + 1) == '-' || here(next + 1) == '='))
        value(next + 2, "");
      return;
    }
    if (here(next) == '=' || here(next) == ':') return assigned(name, next);
    if (is_flag) return behind_flag(next);
    // An entry of a list of variables has its value in the next key.
    std::size_t key = behind_any(next, ", \t\r\n\"'");
    constexpr std::string_view kValue = "value";
    constexpr std::string_view kEnvironment = "ENV ";
    if (key > next && text_.substr(key).starts_with(kValue)) {
      key = behind_any(key + kValue.size(), "\"' \t");
      if (here(key) == ':') value(key + 1, "\r\n");
    } else if (from >= kEnvironment.size() &&
               text_.substr(from - kEnvironment.size()).starts_with(kEnvironment)) {
      value(next, "");
    }
  }
  void assigned(std::string_view name, std::size_t sign) {
    // A key alone is a field of manifests, and a variable of scripts.
    const bool is_plain_key = words_of_name(name).size() == 1 && words_of_name(name)[0] == "key";
    if (is_plain_key && (here(sign) == ':' || name != "KEY") && !name.starts_with('-')) return;
    const bool is_yaml = here(sign) == ':' && (here(sign + 1) == ' ' || here(sign + 1) == '\t');
    value(behind_any(sign + 1, here(sign) == '=' ? "=" : ""), is_yaml ? "\r\n" : "");
  }
  // `--api-key x`, `["--api-key", "x"]`, and two entries of a list, each on its line.
  void behind_flag(std::size_t next) {
    if (next == at_ && here(next) != '\n' && here(next) != '\r') return;
    const std::size_t line = behind_any(next, " \t\r\n\\,\"'");
    const bool is_entry = here(line) == '-' && here(line + 1) == ' ';
    value(is_entry ? line + 2 : next, " ");
  }
  // Until its quote is closed, or, without quotes, to the end of the word or of the line.
  void value(std::size_t from, std::string_view until) {
    const std::size_t begin = behind_any(from, " \t\\\"'[,\r\n");
    if (begin >= text_.size() || begin == std::string_view::npos) return;
    const std::string_view skipped = text_.substr(from, begin - from);
    // What stands in the next line is another key, unless a command goes on there.
    if (skipped.find('\n') != std::string_view::npos && until != " ") return;
    const char quote = begin > from ? text_[begin - 1] : ' ';
    std::string_view found;
    if (quote == '"' || quote == '\'') {
      const auto end = text_.find_first_of(std::string(1, quote) + "\\\r\n", begin);
      found = text_.substr(begin, end == std::string_view::npos ? end : end - begin);
    } else if (until == "\r\n") {
      const auto end = text_.find_first_of("\r\n,}#", begin);
      found = text_.substr(begin, end == std::string_view::npos ? end : end - begin);
      found = found.substr(0, found.find_last_not_of(" \t") + 1);
    } else {
      found = unquoted(begin);
    }
    if (!found.starts_with('-')) secrets_.keep(found);
  }

  std::string_view text_;
  Secrets& secrets_;
  std::size_t at_ = 0;
};

}  // namespace

bool is_secret_name(std::string_view name) {
  constexpr std::array<std::string_view, 11> kSecret{
      "token",   "secret",     "password",    "passwd",    "passphrase", "apikey",
      "apikeys", "credential", "credentials", "passwords", "secrets"};
  const std::vector<std::string> words = words_of_name(name);
  if (words.empty()) return false;
  if (std::find(kSecret.begin(), kSecret.end(), words.back()) != kSecret.end()) return true;
  return words.back() == "key" || (words.back() == "keys" && words.size() > 1);
}

void Secrets::learn(std::string_view text) {
  SecretScan(text, *this).run();
}

void Secrets::keep(std::string_view value) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kMostValues = 10'000;
  constexpr std::array<std::string_view, 10> kPlain{"true", "false", "null", "none", "auto",
                                                    "True", "False", "None", "vllm", "sglang"};
  const bool is_plain = std::find(kPlain.begin(), kPlain.end(), value) != kPlain.end();
  const bool is_reference = value.starts_with('$') || value.starts_with("{{");
  if (value.size() < kShortest || is_plain || is_reference || is_all_digits(value)) return;
  if (values_.size() < kMostValues) values_.emplace(value);
}

std::string Secrets::replaced(std::string_view text, bool keeps_columns) const {
  std::string shown(text);
  // Longer values first, so that one which is a part of another leaves none of it.
  std::vector<std::string_view> values(values_.begin(), values_.end());
  std::stable_sort(values.begin(), values.end(),
                   [](std::string_view a, std::string_view b) { return a.size() > b.size(); });
  for (const std::string_view value : values) {
    const auto characters =
        static_cast<std::size_t>(std::count_if(value.begin(), value.end(), [](char c) {
          return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        }));
    const std::string mask(keeps_columns ? characters : 3, '*');
    for (auto at = shown.find(value); at != std::string::npos; at = shown.find(value, at)) {
      shown.replace(at, value.size(), mask);
      at += mask.size();
    }
  }
  return shown;
}

std::string Secrets::hidden_in_comments(std::string_view scenario) const {
  std::string shown;
  while (!scenario.empty()) {
    const std::string_view line = scenario.substr(0, scenario.find('\n'));
    const auto comment = line.starts_with('#') ? 0 : std::min(line.find("  # "), line.size());
    shown += std::string(line.substr(0, comment)) + hidden(line.substr(comment));
    scenario.remove_prefix(line.size());
    if (scenario.empty()) break;
    shown += '\n';
    scenario.remove_prefix(1);
  }
  return shown;
}

Error Secrets::hidden(Error error) const {
  error.message = hidden(error.message);
  error.hint = hidden(error.hint);
  error.source_line = replaced(error.source_line, true);
  for (std::string& note : error.notes) note = hidden(note);
  return error;
}

}  // namespace loadfactor::launch

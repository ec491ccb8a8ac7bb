#include "catalog/index/model_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "catalog/index/name_rule.h"

namespace loadfactor::catalog {
namespace {

// Tuning and quantisation, which change neither layers nor widths.
constexpr std::array<std::string_view, 32> kReleaseWords{
    "instruct", "chat",  "it",        "hf",   "base",    "pt",     "fp8",  "fp4",
    "nvfp4",    "mxfp4", "awq",       "gptq", "int4",    "int8",   "bf16", "fp16",
    "w4a16",    "w8a8",  "w8a16",     "kv",   "dynamic", "gguf",   "lora", "bnb",
    "4bit",     "8bit",  "quantized", "dpo",  "rlhf",    "marlin", "sft",  "turbo"};
// Words that some models are released under in their own right.
constexpr std::array<std::string_view, 2> kWeakWords{"thinking", "preview"};

// Words of models that were trained for something else, on the layers of another one.
constexpr std::array<std::string_view, 21> kVariantWords{
    "asr",    "audio", "code",      "coder",    "distill",  "embed",    "embedding",
    "guard",  "image", "math",      "nemotron", "ocr",      "omni",     "prover",
    "python", "r1",    "reasoning", "rerank",   "reranker", "thinking", "vl"};

bool is_release_word(std::string_view word) {
  return std::find(kReleaseWords.begin(), kReleaseWords.end(), word) != kReleaseWords.end();
}

bool is_weak(std::string_view word) {
  return std::find(kWeakWords.begin(), kWeakWords.end(), word) != kWeakWords.end();
}

bool is_date(std::string_view word) {
  return all_digits(word) && (word.size() == 4 || word.size() == 6 || word.size() == 8);
}

bool is_point_release(std::string_view word) {
  if (word.size() < 4 || word.front() != 'v') return false;
  return word.find('.') != std::string_view::npos &&
         word.find_first_not_of("0123456789.", 1) == std::string_view::npos;
}

bool is_context(std::string_view word) {
  return word.size() > 1 && word.back() == 'k' && all_digits(word.substr(0, word.size() - 1));
}

// 8b, 1.7b, 350m, 1t; a3b; 128e; 8x7b.
bool is_size(std::string_view word) {
  if (word.size() < 2) return false;
  constexpr std::string_view kDigits = "0123456789.";
  if (word.front() == 'a') word.remove_prefix(1);
  const auto unit = word.find_first_not_of(kDigits);
  if (unit == 0 || unit == std::string_view::npos) return false;
  if (unit + 1 == word.size())
    return std::string_view("bmte").find(word[unit]) != std::string_view::npos;
  return word[unit] == 'x' && is_size(word.substr(unit + 1));
}

template <typename Drop>
void drop_words(std::vector<std::string>& words, Drop drop) {
  for (std::size_t i = words.size(); i-- > 1;) {
    if (drop(words[i])) words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// `2p5` is 2.5 where an id may hold no point.
std::string with_point(std::string word) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 1; i + 1 < word.size(); ++i)
    if (word[i] == 'p' && is_digit(word[i - 1]) && is_digit(word[i + 1])) word[i] = '.';
  return word;
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

void add_spellings(std::string_view written, std::vector<std::string>& spellings) {
  const auto add = [&spellings](std::string spelling) {
    const std::string key = plain_key(spelling);
    const bool known = std::any_of(spellings.begin(), spellings.end(),
                                   [&key](const auto& other) { return plain_key(other) == key; });
    if (!key.empty() && !known) spellings.push_back(std::move(spelling));
  };
  add(join(words_of(written)));
  auto words = words_of(without_remark(written));
  add(join(words));
  drop_words(words, is_release_word);
  add(join(words));
  drop_words(words, is_weak);
  add(join(words));
  drop_words(words, is_context);
  add(join(words));
  drop_words(words, is_date);
  add(join(words));
  drop_words(words, is_point_release);
  add(join(words));
}

std::optional<double> parameters_of(std::string_view size) {
  if (size.front() == 'a') size.remove_prefix(1);
  double value = 0.0;
  const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), value);
  if (problem != std::errc() || end + 1 != size.data() + size.size()) return std::nullopt;
  switch (*end) {
    case 'm':
      return value * 1e6;
    case 'b':
      return value * 1e9;
    case 't':
      return value * 1e12;
    default:
      return std::nullopt;
  }
}

bool is_near(double value, double published) {
  return published > 0.0 && std::abs(value / published - 1.0) <= 0.1;
}

bool has_experts(const ModelSpec& model, std::string_view size) {
  const std::string_view number = size.substr(0, size.size() - 1);
  return std::any_of(model.kinds.begin(), model.kinds.end(), [number](const LayerSpec& kind) {
    return kind.moe.experts > 0 && std::to_string(kind.moe.experts) == number;
  });
}

}  // namespace

std::vector<std::string> model_spellings(std::string_view written) {
  std::vector<std::string> spellings;
  add_spellings(written, spellings);
  const std::string plain = without_remark(written);
  const auto slash = plain.rfind('/');
  if (slash != std::string::npos)
    add_spellings(std::string_view(plain).substr(slash + 1), spellings);
  return spellings;
}

bool is_other_variant(std::string_view written, std::string_view name) {
  const std::string key = plain_key(name);
  const auto words = words_of(written.substr(written.rfind('/') + 1));
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    const bool is_variant =
        std::find(kVariantWords.begin(), kVariantWords.end(), word) != kVariantWords.end();
    return is_variant && key.find(word) == std::string::npos;
  });
}

std::string release_key(std::string_view written) {
  auto words = words_of(written.substr(written.rfind('/') + 1));
  for (std::string& word : words) word = with_point(std::move(word));
  drop_words(words, is_release_word);
  drop_words(words, is_context);
  drop_words(words, is_date);
  return plain_key(join(words));
}

SizedName split_sizes(std::string_view key_words) {
  SizedName name;
  for (auto& word : words_of(key_words)) {
    if (is_size(word)) {
      name.sizes.push_back(std::move(word));
    } else {
      name.family += word;
    }
  }
  std::sort(name.sizes.begin(), name.sizes.end());
  return name;
}

bool agree_but_for_sizes(const SizedName& written, const SizedName& name) {
  const auto includes = [](const auto& all, const auto& some) {
    return std::includes(all.begin(), all.end(), some.begin(), some.end());
  };
  return !written.family.empty() && written.family == name.family &&
         (includes(name.sizes, written.sizes) || includes(written.sizes, name.sizes));
}

bool sizes_fit(const SizedName& written, const SizedName& name, const ModelSpec& model) {
  std::vector<std::string> extra;
  std::set_difference(written.sizes.begin(), written.sizes.end(), name.sizes.begin(),
                      name.sizes.end(), std::back_inserter(extra));
  return std::all_of(extra.begin(), extra.end(), [&model](const std::string& size) {
    if (size.back() == 'e') return has_experts(model, size);
    const auto parameters = parameters_of(size);
    return parameters && (is_near(*parameters, model.published_parameters) ||
                          is_near(*parameters, model.published_active));
  });
}

}  // namespace loadfactor::catalog

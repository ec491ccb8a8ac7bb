#include "config/currency.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include "config/number_text.h"

namespace loadfactor::config {
namespace {

const Node* child(const Node* node, std::string_view key) {
  if (node == nullptr) return nullptr;
  for (const Member& member : node->members)
    if (member.key == key) return &member.value;
  return nullptr;
}

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::optional<std::string> in_dollars(std::string_view text, std::string_view code) {
  constexpr std::string_view kDollars = "USD";
  std::string out(text);
  bool is_there = false;
  for (std::size_t at = out.find(code); at != std::string::npos; at = out.find(code, at + 1)) {
    const std::size_t end = at + code.size();
    const bool is_word =
        (at == 0 || !is_letter(out[at - 1])) && (end == out.size() || !is_letter(out[end]));
    if (!is_word) continue;
    out.replace(at, code.size(), kDollars);
    is_there = true;
  }
  return is_there ? std::optional(std::move(out)) : std::nullopt;
}

bool is_currency_code(std::string_view word) {
  constexpr std::size_t kLetters = 3;
  return word.size() == kLetters &&
         std::all_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<Currency> currency_of(const Node& root) {
  const Node* section = child(child(&root, "money"), "currency");
  const Node* code = child(section, "code");
  const Node* rate = child(section, "per_usd");
  if (code == nullptr || rate == nullptr || !is_currency_code(code->scalar)) return std::nullopt;
  const auto read = parse_quantity(rate->scalar, Dimension{}, Expect::kRatio);
  if (!read || !(read->value > 0) || !std::isfinite(read->value)) return std::nullopt;
  return Currency{code->scalar, read->value};
}

Result<Amount> parse_amount(const std::optional<Currency>& currency, std::string_view text,
                            Dimension dimension, Expect expect) {
  if (!currency || dimension.money == 0) {
    TRY(const AnyQuantity plain, parse_quantity(text, dimension, expect));
    return Amount{plain.value, plain.value};
  }
  const auto dollars = in_dollars(text, currency->code);
  TRY(const AnyQuantity read,
      parse_quantity(dollars ? std::string_view(*dollars) : text, dimension, expect));
  const double rate = std::pow(currency->per_usd, dimension.money);
  return dollars ? Amount{read.value / rate, read.value} : Amount{read.value, read.value * rate};
}

}  // namespace loadfactor::config

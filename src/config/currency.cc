#include "config/currency.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
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

// The currency an amount is written in: its first word, the letter of a thousand aside.
std::optional<std::string> code_in(std::string_view text) {
  for (auto from = std::find_if(text.begin(), text.end(), is_letter); from != text.end();) {
    const auto end = std::find_if_not(from, text.end(), is_letter);
    const std::string word(from, end);
    if (word.size() > 1) return is_currency_code(word) ? std::optional(word) : std::nullopt;
    from = std::find_if(end, text.end(), is_letter);
  }
  return std::nullopt;
}

// What was read as dollars, said in the currency in which it is written.
Error in_words_of(Error error, const std::string& code) {
  for (std::string* text : {&error.message, &error.hint}) {
    for (std::size_t at = text->find("USD"); at != std::string::npos; at = text->find("USD", at))
      text->replace(at, 3, code);
    const std::size_t named = text->find(" (US dollars of the stated date)");
    if (named != std::string::npos) text->erase(named);
  }
  return error;
}

// What to write where an amount is in a currency that the file says nothing about.
Error with_way_out(Error error, const std::optional<Currency>& currency, std::string_view text) {
  const auto code = code_in(text);
  if (error.code != lf::kWrongUnit || !code || *code == "USD") return error;
  if (currency && currency->code == *code) return in_words_of(std::move(error), *code);
  error.hint = currency ? fmt::format("write it in {} or USD; one file has one other currency",
                                      currency->code)
                        : fmt::format(
                              "write USD, or say what a US dollar is worth: "
                              "money.currency: {{code: {}, per_usd: …}}",
                              *code);
  return error;
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
  const bool is_money = dimension.money != 0;
  const auto dollars =
      currency && is_money ? in_dollars(text, currency->code) : std::optional<std::string>{};
  const auto read = parse_quantity(dollars ? std::string_view(*dollars) : text, dimension, expect);
  if (!read) return is_money ? with_way_out(read.error(), currency, text) : read.error();
  if (!currency || !is_money) return Amount{read->value, read->value};
  const double rate = std::pow(currency->per_usd, dimension.money);
  return dollars ? Amount{read->value / rate, read->value}
                 : Amount{read->value, read->value * rate};
}

}  // namespace loadfactor::config

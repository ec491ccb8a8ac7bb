#include "report/describe/currency_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <variant>

#include "base/display_width.h"

namespace loadfactor::report {
namespace {

constexpr std::string_view kDollars = "USD";

struct Symbol {
  std::string_view code;
  std::string_view symbol;
};
constexpr std::array kSymbols{Symbol{"USD", "$"}, Symbol{"EUR", "€"}, Symbol{"GBP", "£"},
                              Symbol{"JPY", "¥"}, Symbol{"INR", "₹"}, Symbol{"KRW", "₩"}};

bool is_letter(std::string_view text, std::size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0;
}

// `USD`, and the `MUSD` and `kUSD` of facts.
bool is_code(std::string_view text, std::size_t at) {
  return text.substr(at).starts_with(kDollars) && !is_letter(text, at + kDollars.size());
}

// Takes spaces from the end of a run of them, but for two that part columns.
void take_spaces(std::string& text, int count) {
  constexpr std::size_t kKept = 2;
  const auto last = text.find_last_not_of(' ');
  const std::size_t run = text.size() - (last == std::string::npos ? 0 : last + 1);
  if (run <= kKept) return;
  text.resize(text.size() - std::min<std::size_t>(static_cast<std::size_t>(count), run - kKept));
}

}  // namespace

CurrencyWords currency_words(std::string code, double per_usd) {
  const auto found = std::find_if(kSymbols.begin(), kSymbols.end(),
                                  [&](const Symbol& each) { return each.code == code; });
  std::string symbol(found == kSymbols.end() ? std::string_view(code) : found->symbol);
  return {std::move(code), std::move(symbol), per_usd};
}

std::string in_currency(std::string_view text, const CurrencyWords& words) {
  std::string out;
  out.reserve(text.size());
  const int wider = display_width(words.symbol) - 1;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '$') {
      if (wider > 0) take_spaces(out, wider);
      out += words.symbol;
    } else if (is_code(text, at)) {
      out += words.code;
      at += kDollars.size() - 1;
    } else {
      out += text[at];
    }
  }
  return out;
}

Value value_in_currency(const Value& value, const CurrencyWords& words) {
  if (const std::string* text = value.text()) return in_currency(*text, words);
  if (const Value::List* list = value.list()) {
    Value::List out;
    for (const Value& item : *list) out.push_back(value_in_currency(item, words));
    return out;
  }
  const Value::Object* object = value.object();
  if (object == nullptr) return value;
  Value::Object out;
  for (const Member& member : *object) {
    const bool is_in_dollars = member.key.find("usd") != std::string::npos;
    const auto* number = std::get_if<double>(&member.value.data);
    out.push_back({member.key, is_in_dollars && number != nullptr
                                   ? Value(*number / words.per_usd)
                                   : value_in_currency(member.value, words)});
  }
  return out;
}

std::string labels_in_currency(std::string_view text, const CurrencyWords& words) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_here = is_code(text, at);
    out += is_here ? std::string_view(words.code) : text.substr(at, 1);
    if (is_here) at += kDollars.size() - 1;
  }
  return out;
}

std::string page_in_currency(std::string_view page, const CurrencyWords& words) {
  constexpr std::string_view kScript = "<script>";  // Data have a type; code has none.
  constexpr std::string_view kEnd = "</script>";
  constexpr std::string_view kMoney = "`$${";  // How code writes an amount.
  std::string out;
  while (true) {
    const std::size_t begin = std::min(page.find(kScript), page.size());
    out += in_currency(page.substr(0, begin), words);
    page.remove_prefix(begin);
    if (page.empty()) return out;
    const std::size_t end = std::min(page.find(kEnd), page.size());
    std::string code = labels_in_currency(page.substr(0, end), words);
    for (std::size_t at = code.find(kMoney); at != std::string::npos; at = code.find(kMoney, at))
      code.replace(at, kMoney.size(), "`" + words.symbol + "${");
    out += code;
    page.remove_prefix(end);
  }
}

}  // namespace loadfactor::report

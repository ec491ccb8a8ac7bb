// Money in the currency of a document: what `money.currency` says, and amounts that are written in
// it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/quantity_text.h"
#include "config/document.h"

namespace loadfactor::config {

// Three capital letters.
bool is_currency_code(std::string_view word);

// What `money.currency` of a file asks for, where it is whole; its reader says what is wrong else.
std::optional<Currency> currency_of(const Node& root);

// A text with `USD` for the code, wherever it stands as a word of its own; nothing where it does
// not.
std::optional<std::string> in_dollars(std::string_view text, std::string_view code);

// An amount as it is written, in US dollars for rules of what is likely, and as it is held.
struct Amount {
  double in_usd = 0;
  double held = 0;
};
// `40000 EUR` or `40000 USD` where the currency is the euro; quantities that are no money are as
// they are.
Result<Amount> parse_amount(const std::optional<Currency>& currency, std::string_view text,
                            Dimension dimension, Expect expect = Expect::kQuantity);

}  // namespace loadfactor::config

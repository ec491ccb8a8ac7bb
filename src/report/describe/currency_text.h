// Answers whose money is in another currency than US dollars, in its words. Reports write `USD` and
// `$` for money, of whatever currency it is; here they get the name of the one that it is in.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/value.h"

namespace loadfactor::report {

struct CurrencyWords {
  std::string code;    // `EUR`.
  std::string symbol;  // `€`; the code where there is none that everybody knows.
  double per_usd = 1;
};
CurrencyWords currency_words(std::string code, double per_usd);

// A text for people. Where a word is longer than what it stands for, columns keep their places as
// far as there are spaces before it.
std::string in_currency(std::string_view text, const CurrencyWords& words);
// Texts of a JSON value; figures whose names say that they are in US dollars are.
Value value_in_currency(const Value& value, const CurrencyWords& words);
// The texts of a page, its data and how its script writes money.
std::string page_in_currency(std::string_view page, const CurrencyWords& words);
// The labels of a workbook in JSON, of which formulas have dollar signs of their own.
std::string labels_in_currency(std::string_view text, const CurrencyWords& words);

}  // namespace loadfactor::report

// Finds API prices that a size rule filled in for want of a real one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/price_book.h"

namespace loadfactor::catalog {

// Family and size that an id names, `llama 405b` for ".../llama-v3p1-405b-instruct-long"; empty
// when it names no size. Ids that agree in it are siblings.
std::string sibling_key(std::string_view model_id);

// Positions of the prices that are equal for input and output and less than a fifth of the median
// of at least two siblings.
std::vector<std::size_t> find_placeholders(std::span<const ApiPrice> prices);

}  // namespace loadfactor::catalog

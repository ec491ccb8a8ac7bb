// Ways to pay in words.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/cost.h"

namespace loadfactor::report {

// After "GPUs": "rented on demand".
std::string_view kind_words(OptionKind kind);
// "8 × h100-sxm, owned".
std::string words_of(const OptionName& name);
// A mix of which nothing is owned is rented on spot alone.
OptionKind shown_kind(OptionKind kind, double owned);
// What a break-even is against: "API (…)", "rent on demand, paid only while it works".
std::string words_of(const RivalOption& rival);

}  // namespace loadfactor::report

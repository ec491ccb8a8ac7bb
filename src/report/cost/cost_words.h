// The parts of a cost answer in words.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/cost.h"
#include "report/describe/option_words.h"

namespace loadfactor::report {

// The answer in a few sentences.
std::string cost_verdict(const CostAnswer& answer);

// A line of the bill: "carrying work".
std::string words_of(const CostLine& line, const OptionName& option);
// "GPU-hours"; empty where a line has none.
std::string_view unit_words(BillUnit unit);
// pays, short or never.
std::string_view name_of(BreakEvenVerdict verdict);
std::string rival_of(const BreakEven& row);
std::string_view words_of(CostFactor input);
// The path of rents, and the same in a word.
std::string words_of(const RentPath& path);
std::string label_of(const RentPath& path);
std::string_view words_of(RentPaths::Basis basis);
std::string_view words_of(DiscountBasis basis);
std::string_view tier_words(OptionKind option);
std::string words_of(const MarginalGpu& marginal);
std::string words_of(const ClaimAnswer& claim);
std::string words_of(const CoolingObjection& objection);
std::string words_of(const HostShortfall& shortfall);

}  // namespace loadfactor::report

// Pieces that pages of every verb are made of, as docs/page.md describes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/table.h"
#include "loadfactor/cost.h"
#include "loadfactor/estimate.h"
#include "loadfactor/value.h"

namespace loadfactor::report {

// A run of the sentence under the decision.
Value lead_run(std::string_view strong, std::string_view text, std::string_view soft = {});
Value page_tile(std::string_view id, std::string_view label, std::string value,
                std::string_view unit, std::string note);
// A share as `{value, low, high}`; null where there is none, or one without an end.
Value page_share(const std::optional<EstimateOf<double>>& share);
// A cost and its range as a bar on a scale of which `most` is the end.
Value page_bar(Dollars cost, std::optional<std::pair<Dollars, Dollars>> range, Dollars most);
// A table of the terminal as one of a page.
Value page_table_of(std::string_view csv, const Table& table);
Value page_panel(std::string title, bool wide, Value table, std::string note = {});
// A price that was used, with its date and whether to doubt it.
Value page_price(const UsedPrice& price);
// Cautions first; null where nothing was noticed.
Value page_notices(std::string_view title, const std::vector<Notice>& notices);

}  // namespace loadfactor::report

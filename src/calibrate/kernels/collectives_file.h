// data/calibration/collectives.yaml with newly fitted rows in the place of old ones.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalog/spec/collective_table.h"

namespace loadfactor::calibrate {

// Rows of other links, rows that nobody measured and everything around them stay as they are.
std::string replace_fitted_rows(std::string_view file,
                                std::span<const catalog::CollectiveRow> fitted,
                                std::string_view date);

}  // namespace loadfactor::calibrate

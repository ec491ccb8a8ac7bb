// Medians and outliers of price lists.
#pragma once

#include <vector>

namespace loadfactor::catalog {

// The middle value, or the mean of the two middle ones; 0 for an empty list.
double median_of(std::vector<double> values);

}  // namespace loadfactor::catalog

#include "catalog/import/prices/price_statistics.h"

#include <algorithm>
#include <cstddef>

namespace loadfactor::catalog {

double median_of(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  if (values.size() % 2 == 1) return values[middle];
  return (values[middle - 1] + values[middle]) / 2.0;
}

}  // namespace loadfactor::catalog

#include "serving/worthwhile.h"

#include <algorithm>
#include <cmath>

namespace loadfactor::serving {

std::int64_t worthwhile_cache(std::int64_t chunk, double tokens_each) {
  constexpr std::int64_t kSteps = 4;
  constexpr double kRequests = 8;
  return std::max(kSteps * chunk, static_cast<std::int64_t>(std::ceil(kRequests * tokens_each)));
}

}  // namespace loadfactor::serving

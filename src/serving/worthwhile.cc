#include "serving/worthwhile.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace loadfactor::serving {

std::int64_t worthwhile_cache(std::int64_t chunk, double tokens_each) {
  constexpr std::int64_t kSteps = 4;
  constexpr double kRequests = 8;
  return std::max(kSteps * chunk, static_cast<std::int64_t>(std::ceil(kRequests * tokens_each)));
}

std::string chosen_tp_words(int tp) {
  return fmt::format(
      "tp {} chosen: the least whose cache holds eight requests and four full steps; deployment.tp "
      "sets it, and --search weighs others",
      tp);
}

}  // namespace loadfactor::serving

// The decisions of a plan as JSON writes them.
#pragma once

#include <string_view>

namespace loadfactor::report {

inline constexpr std::string_view kDecisions[] = {"scale up",
                                                  "hold",
                                                  "shrink",
                                                  "use the API",
                                                  "use one bigger GPU",
                                                  "split training and serving",
                                                  "not feasible"};

}  // namespace loadfactor::report

// Several models in one scenario, where a verb looks at one.
#pragma once

namespace loadfactor::engine {

inline constexpr const char* kOthersLeftOut =
    "the models under `others` are left out; `serve --simulate` runs all";

}  // namespace loadfactor::engine

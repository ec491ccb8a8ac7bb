// The name under which help finds the options that every verb has.
#pragma once

namespace loadfactor::cli {

inline constexpr const char* kCommonOptions = "Common";

}  // namespace loadfactor::cli

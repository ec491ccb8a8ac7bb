// Shell scripts as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/emit/emission.h"

namespace loadfactor::launch {

// Quoted where the shell would read it otherwise.
std::string shell_word(std::string_view text);

// What a file says of itself: what it launches, and what no flag says, in a line that `read` knows:
// `# loadfactor: hardware=h100-sxm framework=torchtitan`.
// `remarks` are whole lines behind the sentences.
std::string file_head(const LaunchPlan& plan, const std::vector<std::string>& sentences,
                      const std::string& remarks = {});
// The same between the lines of a script.
std::string script_head(const LaunchPlan& plan, const std::vector<std::string>& sentences,
                        const std::string& remarks = {});

// The folder of a script, as the variable `here`.
inline constexpr const char* kHere = "here=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\n";
// A text in which a file of that folder goes by its path.
std::string beside_script(std::string text, std::string_view file);

// A figure with its unit in a few characters.
std::string hours_and_minutes(Seconds time);

// A lower-case name that every system takes: `pretrain-70b`.
std::string plain_name(std::string_view name);

}  // namespace loadfactor::launch

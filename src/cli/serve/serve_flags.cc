#include "cli/serve/serve_flags.h"

#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/error_codes.h"

namespace loadfactor::cli {
namespace {

enum Question : unsigned { kClosedForm = 1, kSimulate = 2, kSearch = 4 };

struct FlagRow {
  std::string_view flag;
  unsigned questions;
};
constexpr std::array kFlags{FlagRow{"--concurrency", kClosedForm},
                            FlagRow{"--batches", kClosedForm},
                            FlagRow{"--anchor", kClosedForm | kSimulate},
                            FlagRow{"--kv-tokens", kClosedForm | kSimulate},
                            FlagRow{"--requests", kSimulate},
                            FlagRow{"--router", kSimulate},
                            FlagRow{"--timeout", kSimulate},
                            FlagRow{"--first-token-timeout", kSimulate},
                            FlagRow{"--max-waiting", kSimulate},
                            FlagRow{"--max-replicas", kSimulate},
                            FlagRow{"--target-load", kSimulate},
                            FlagRow{"--start-time", kSimulate},
                            FlagRow{"--plain", kSimulate},
                            FlagRow{"--trace", kSimulate},
                            FlagRow{"--series", kSimulate},
                            FlagRow{"--spares", kSearch},
                            FlagRow{"--maintenance", kSearch},
                            FlagRow{"--weeks", kSearch},
                            FlagRow{"--fleet", kSearch},
                            FlagRow{"--confirm", kSearch},
                            FlagRow{"--cold-start", kSearch}};

bool is_given(const CLI::App& verb, std::string_view flag) {
  return verb.count(std::string(flag)) > 0;
}

// Where the flag would be looked at.
std::string remedy(unsigned questions) {
  if ((questions & kClosedForm) != 0)
    return (questions & kSimulate) != 0 ? "leave out --search"
                                        : "leave out --simulate and --search";
  return questions == kSimulate ? "add --simulate" : "add --search";
}

}  // namespace

std::optional<Error> find_idle_flag(const CLI::App& verb) {
  const bool simulates = is_given(verb, "--simulate");
  const bool searches = is_given(verb, "--search");
  if (simulates && searches)
    return Error{.code = lf::kUsage,
                 .message = "--simulate and --search are two questions",
                 .hint = "--search simulates what it finds; ask one at a time"};
  const unsigned asked = simulates ? kSimulate : searches ? kSearch : kClosedForm;
  const char* words = simulates ? " with --simulate" : searches ? " with --search" : " alone";
  for (const FlagRow& row : kFlags) {
    if (!is_given(verb, row.flag) || (row.questions & asked) != 0) continue;
    return Error{.code = lf::kUsage,
                 .message = fmt::format("{} does nothing for `serve`{}", row.flag, words),
                 .hint = remedy(row.questions)};
  }
  for (const char* flag : {"--target-load", "--start-time"}) {
    if (!is_given(verb, flag) || is_given(verb, "--max-replicas")) continue;
    return Error{.code = lf::kUsage,
                 .message = fmt::format("{} does nothing without --max-replicas", flag),
                 .hint = "add --max-replicas N, or write deployment.scaling in the scenario"};
  }
  return std::nullopt;
}

}  // namespace loadfactor::cli

// The flags and keys of programs that launch or serve, as their own sources had them.
//
// data/integrations/flags holds one table per program; programs.csv says of which repository and
// commit. What a table does not have is not written, and is told where it is read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace loadfactor::launch {

// Before the flags of what runs, in a comment of a scenario that was read.
inline constexpr std::string_view kFlagsMark = "# flags:";

enum class FlagKind : std::uint8_t {
  kSwitch,   // Nothing stands behind it.
  kToggle,   // As a switch, with a second name that says no.
  kBoolean,  // true or false stands behind it.
  kInteger,
  kSize,  // As an integer, or 32k, or auto.
  kNumber,
  kWord,  // One of its choices.
  kText,
  kJson,
  kList,     // One word or more.
  kSection,  // Keys stand below it.
};

struct Flag {
  std::string name;
  std::vector<std::string> other_names;
  FlagKind kind = FlagKind::kText;
  std::vector<std::string> choices;
  std::string otherwise;  // The value where nothing is said; empty: not known as a plain value.
};

// Where a table was taken from.
struct ProgramOrigin {
  std::string repository;
  std::string commit;
  std::string date;
};

// A flag by any of its spellings.
struct FlagMatch {
  const Flag* flag = nullptr;
  bool says_no = false;  // By the name that says no.
};

class Program {
 public:
  Program() = default;
  Program(std::string name, ProgramOrigin origin, std::vector<Flag> flags);

  const std::string& name() const { return name_; }
  const ProgramOrigin& origin() const { return origin_; }
  const std::vector<Flag>& flags() const { return flags_; }
  // Hyphens and underscores are the same; nothing where there is no such flag.
  std::optional<FlagMatch> find(std::string_view written) const;
  // All names, for hints.
  std::vector<std::string> names() const;

 private:
  std::string name_;
  ProgramOrigin origin_;
  std::vector<Flag> flags_;
  std::map<std::string, std::pair<std::size_t, bool>, std::less<>> index_;
};

// A whole number, or one as 32k (thousands) and 32K (of 1024); nothing where it is none.
std::optional<std::int64_t> size_of(std::string_view text);

// What is wrong with a value of a flag, or nothing: `'fp9' is none of auto, fp8`.
std::string value_fault(const Flag& flag, std::string_view value);

// The table of a program; empty where there is none.
Program read_program(std::string_view name);

// A pair of `--module` and `--config` of torchtitan.
struct TitanConfig {
  std::string module;
  std::string config;
};
std::vector<TitanConfig> read_titan_configs();

// A metric that a program exports.
struct Metric {
  std::string program;
  std::string name;
  std::string kind;                     // counter, gauge, histogram, …
  std::vector<std::string> scraped_as;  // The names of its series.
};
std::vector<Metric> read_metrics();

}  // namespace loadfactor::launch

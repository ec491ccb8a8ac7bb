// Which sweep results belong to.
#include <algorithm>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {
namespace {

using Input = std::pair<std::string, std::string>;

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

// Whether a file is the one that was missing, or belongs to the model that was.
bool is_of(const std::string& missing, const std::string& name) {
  const bool is_beside = missing.ends_with(".json") && folder_of(name) == folder_of(missing);
  return name == missing || name.starts_with(missing + "/") || is_beside;
}

bool has(const std::vector<Input>& inputs, const Input& input) {
  return std::find(inputs.begin(), inputs.end(), input) != inputs.end();
}

// The first difference between two sweeps, in words.
std::string difference(const Identity& there, const Identity& asked) {
  std::string hint = "its inputs, options or axes differ";
  if (there.name != asked.name) {
    hint = fmt::format("this one is '{}'", asked.name);
  } else if (there.version != asked.version) {
    hint = fmt::format("it was made by version {}, this is {}", there.version, asked.version);
  } else {
    for (std::size_t i = 0; i < std::min(there.inputs.size(), asked.inputs.size()); ++i)
      if (there.inputs[i] != asked.inputs[i]) {
        hint = fmt::format("{} has changed", asked.inputs[i].first);
        break;
      }
  }
  return hint;
}

}  // namespace

bool Identity::completes(const Identity& earlier) const {
  if (name != earlier.name || version != earlier.version || cases != earlier.cases ||
      columns != earlier.columns)
    return false;
  std::vector<std::string> missing;
  for (const Input& input : earlier.inputs) {
    if (has(inputs, input)) continue;
    if (input.second != kMissingInput) return false;
    missing.push_back(input.first);
  }
  return std::all_of(inputs.begin(), inputs.end(), [&](const Input& input) {
    return has(earlier.inputs, input) ||
           std::any_of(missing.begin(), missing.end(),
                       [&](const std::string& each) { return is_of(each, input.first); });
  });
}

std::optional<std::int64_t> counting_cases(const Identity& identity) {
  for (const auto& [key, value] : identity.remarks)
    if (key == "counting")
      return value.empty() ? std::nullopt
                           : std::optional<std::int64_t>(std::strtoll(value.c_str(), nullptr, 10));
  return identity.cases;
}

Error other_sweep(const std::string& path, const Identity& there, const Identity& asked) {
  if (asked.completes(there))
    return {
        .code = lf::kWrongSchema,
        .message = fmt::format("'{}' holds results of the sweep '{}' from when a file was missing",
                               path, there.name),
        .hint = "--retry-failed goes on with them and runs the cases that failed again"};
  return {.code = lf::kWrongSchema,
          .message = fmt::format("'{}' holds results of the sweep '{}': {}", path, there.name,
                                 difference(there, asked)),
          .hint = "give this sweep a file of its own with -o"};
}

}  // namespace loadfactor::sweep

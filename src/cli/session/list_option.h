// A flag that takes several values: `8,16`, or the flag once for each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace loadfactor::cli {

// The items between the commas. Nothing between two commas, or at an end, is a typing error and not
// a shorter list: throws CLI::ValidationError that says so.
std::vector<std::string> list_items(const std::string& flag, const std::string& text);

// As a flag of `verb`; `take` gets each item in turn and returns what is wrong with it, or nothing.
using TakeItem = std::function<std::string(const std::string& item)>;
CLI::Option* add_list(CLI::App& verb, const std::string& flag, const std::string& help,
                      const TakeItem& take);

}  // namespace loadfactor::cli

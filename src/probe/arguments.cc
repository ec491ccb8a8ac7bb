#include "arguments.h"

#include <array>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace loadfactor::probe {
namespace {

constexpr std::array<std::string_view, 10> kSections{
    "launch",    "memory",    "cache",  "gemm",        "attention",
    "pointwise", "optimizer", "copies", "collectives", "power"};

bool is_section(std::string_view word) {
  for (const std::string_view section : kSections) {
    if (section == word) return true;
  }
  return false;
}

template <class Number>
bool read(const std::string& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Takes an option with its value; false when the value will not do.
bool take(const std::string& option, const std::string& value, Arguments& to) {
  if (option == "--output") to.output = value;
  if (option == "--shapes") to.shapes = value;
  if (option == "--meeting") to.meeting = value;
  if (option == "--only") {
    to.only.push_back(value);
    return is_section(value);
  }
  if (option == "--load-seconds")
    return read(value, to.load_seconds) && to.load_seconds > 0 && to.load_seconds <= 600;
  if (option == "--seed") return read(value, to.seed);
  return true;
}

bool takes_value(std::string_view option) {
  return option == "--output" || option == "--shapes" || option == "--meeting" ||
         option == "--only" || option == "--load-seconds" || option == "--seed";
}

}  // namespace

std::optional<Arguments> read_arguments(const std::vector<std::string>& words,
                                        std::string& complaint) {
  Arguments arguments;
  bool held = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--quick") arguments.quick = true;
    if (word == "--check") arguments.check = true;
    if (word == "--silent") arguments.silent = true;
    if (word == "--help") arguments.help = true;
    if (word == "--quick" || word == "--check" || word == "--silent" || word == "--help") continue;
    if (!takes_value(word)) {
      complaint = "loadfactor-probe: '" + word + "' is not an option; --help lists them";
      return std::nullopt;
    }
    if (i + 1 == words.size() || !take(word, words[i + 1], arguments)) {
      complaint = "loadfactor-probe: " + word + " needs a value that fits";
      return std::nullopt;
    }
    held = held || word == "--load-seconds";
    ++i;
  }
  if ((arguments.quick || arguments.check) && !held) arguments.load_seconds = 1.5;
  return arguments;
}

}  // namespace loadfactor::probe

// Every broken scenario of tests/broken/scenario is refused at its line with its code.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/document.h"
#include "config/reading/scenario_reader.h"
#include "tests/broken/broken_inputs.h"

namespace loadfactor::config {
namespace {

constexpr std::size_t kTenMegabytes = 10'000'000;

Diagnostics complaints(const std::string& file, const std::string& text) {
  Diagnostics diagnostics;
  const auto document = file.ends_with(".json") ? parse_json(file, text) : parse_yaml(file, text);
  if (document) {
    const auto scenario = read_scenario(*document, diagnostics);
    EXPECT_EQ(scenario.has_value(), diagnostics.empty());
  } else {
    diagnostics.add(document.error());
  }
  return diagnostics;
}

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string text;
  text.reserve(bytes + unit.size());
  while (text.size() < bytes) text += unit;
  return text;
}

std::string many_keys(int count) {
  std::string text = "loadfactor: 1\n";
  for (int i = 0; i < count; ++i) text += "key" + std::to_string(i) + ": 1\n";
  return text;
}

// Inputs that are too large to keep in the tree.
std::vector<broken::BrokenInput> huge_inputs() {
  const std::size_t within = kYamlLimits.bytes - 100;
  const std::string head = "loadfactor: 1\nname: ";
  const std::string json = R"({"loadfactor": 1, "name": ")";
  return {
      {"ten-megabytes.yaml", "huge", 0, lf::kTooLarge, head + repeated("x", kTenMegabytes)},
      {"long-plain-text.yaml", "huge", 2, lf::kTooLarge, head + repeated("x", within)},
      {"long-quoted-text.yaml", "huge", 2, lf::kTooLarge, head + '"' + repeated("x", within) + '"'},
      {"brackets.yaml", "huge", 1, lf::kTooDeep, repeated("[", within)},
      {"braces.yaml", "huge", 1, lf::kTooDeep, repeated("{", within)},
      {"nested-keys.yaml", "huge", 1, lf::kSyntax, repeated("{a: ", 400'000)},
      {"many-keys.yaml", "huge", 2, lf::kUnknownKey, many_keys(30'000)},
      {"million-keys.yaml", "huge", 0, lf::kTooLarge, many_keys(1'000'000)},
      {"long-list.yaml", "huge", 1, lf::kTooLarge, "hardware: [" + repeated("1,", within) + "]"},
      {"long-text.json", "huge", 1, lf::kTooLarge, json + repeated("x", kTenMegabytes) + "\"}"},
      {"brackets.json", "huge", 1, lf::kTooDeep, repeated("[", kTenMegabytes)},
      {"blanks.yaml", "huge", 1, lf::kEmptyFile, repeated("  \n", within)},
  };
}

TEST(ScenarioBrokenTest, EveryBrokenScenarioIsRefusedAtItsLineWithItsCode) {
  broken::expect_all_refused(std::filesystem::path(LF_SOURCE_DIR) / "tests/broken/scenario",
                             complaints, huge_inputs(), {.files = 70, .kinds_of_damage = 12});
}

}  // namespace
}  // namespace loadfactor::config

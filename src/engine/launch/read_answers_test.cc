// What is read from launches as people have them is answered: no name, format or framework in it is
// unknown to the catalogue, and nothing in it contradicts the rest.
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "config/reading/scenario_reader.h"
#include "engine/core.h"
#include "engine/launch/launch_plan.h"
#include "engine/method/method.h"
#include "launch/read/launch_reading.h"

namespace loadfactor::engine {
namespace {

const std::string kFolder = std::string(LF_SOURCE_DIR) + "/tests/launch/";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// The files of each row, which stand with a plus between them.
std::set<std::string> rows() {
  Diagnostics diagnostics;
  const auto csv = config::parse_csv("good.csv", text_of(kFolder + "good.csv"), diagnostics);
  std::set<std::string> names;
  if (!csv) return names;
  for (const auto& row : csv->rows) names.insert(row.front().text);
  return names;
}

std::vector<launch::LaunchFile> files_of(std::string names) {
  std::vector<launch::LaunchFile> files;
  while (!names.empty()) {
    const std::string name = names.substr(0, names.find('+'));
    files.push_back({name, text_of(kFolder + "good/" + name)});
    names.erase(0, name.size() + 1);
  }
  return files;
}

// What a launch leaves open, as a person would fill it in.
std::string filled(std::string scenario) {
  const auto lacks = [&](const char* key) { return scenario.find(key) == std::string::npos; };
  if (lacks("\nhardware:")) scenario += "hardware: [h200-sxm]\n";
  const auto add = [&](const std::string& section, const std::string& line) {
    scenario.insert(scenario.find(section) + section.size(), line);
  };
  if (!lacks("\nserve:\n"))
    add("\nserve:\n", "  demand: {requests_per_month: 1 M, tokens_in: 1500, tokens_out: 300}\n");
  // A method that writes its own answers has steps of them, and others have tokens.
  const bool writes = !lacks("\n    kind: ");
  if (writes) add("\n  method:\n", "    answer_tokens: 400\n    steps: 10\n");
  if (!lacks("\ntrain:\n") && lacks("\n  tokens:") && !writes) add("\ntrain:\n", "  tokens: 1 B\n");
  return scenario;
}

TEST(ReadAnswersTest, WhatIsReadIsAnswered) {
  Diagnostics none;
  const auto core = Core::create({}, none);
  int answered = 0;
  for (const std::string& names : rows()) {
    Diagnostics diagnostics;
    const auto reading =
        launch::read_launch(files_of(names), names_of(core->catalog()), diagnostics);
    ASSERT_TRUE(reading) << names << "\n" << render(diagnostics);
    const std::string text = filled(reading->scenario);
    const auto scenario = config::parse_scenario("read.yaml", text, {}, diagnostics);
    if (scenario && scenario->train && has_phases(*scenario))
      train_by_method(*core, {.train = {.scenario = *scenario}}, diagnostics);
    else if (scenario && scenario->train)
      core->train({.scenario = *scenario}, diagnostics);
    if (scenario && scenario->serve) core->serve({.scenario = *scenario}, diagnostics);
    // A key that the files leave open may be missing, and a layout may not fit.
    constexpr int kFirstOfUnits = 200;
    bool is_answered = true;
    for (const Error& error : diagnostics.errors()) {
      is_answered = false;
      EXPECT_TRUE(error.code == lf::kMissingKey || error.code < kFirstOfUnits)
          << names << "\n"
          << render(error) << "\n"
          << text;
    }
    answered += is_answered ? 1 : 0;
  }
  EXPECT_GE(answered, 150);
}

}  // namespace
}  // namespace loadfactor::engine

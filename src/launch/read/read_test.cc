// Launches as people write them, and broken ones: tests/launch holds both, with what is expected.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/csv.h"
#include "config/document.h"
#include "launch/read/launch_reading.h"
#include "launch/read/shell.h"

namespace loadfactor::launch {
namespace {

const std::string kFolder = std::string(LF_SOURCE_DIR) + "/tests/launch/";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Every name is one of the catalogue here, without its organisation and in lower case.
Names any_names() {
  Names names;
  names.model = [](const std::string& name) {
    std::string plain = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
    std::transform(plain.begin(), plain.end(), plain.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return plain;
  };
  names.accelerator = [](const std::string& name) { return name; };
  names.layers_of = [](const std::string&) { return std::int64_t{0}; };
  names.model_of = [](const auto&) { return std::string(); };
  return names;
}

std::vector<std::vector<std::string>> table(const std::string& name) {
  Diagnostics diagnostics;
  const auto csv = config::parse_csv(name, text_of(kFolder + name), diagnostics);
  std::vector<std::vector<std::string>> rows;
  if (!csv) return rows;
  for (const auto& row : csv->rows) {
    rows.emplace_back();
    for (const auto& cell : row) rows.back().push_back(cell.text);
  }
  return rows;
}

// The value of a key of a scenario, a list or map as it is written in one line.
std::string value_of(const std::string& scenario, std::string path) {
  std::vector<std::string> lines;
  std::istringstream text(scenario);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  std::size_t depth = 0;
  std::size_t at = 0;
  while (true) {
    const auto dot = path.find('.');
    const std::string start = std::string(2 * depth, ' ') + path.substr(0, dot) + ":";
    while (at < lines.size() && !lines[at].starts_with(start)) {
      // A line further out ends the section.
      if (depth > 0 && !lines[at].empty() && !lines[at].starts_with(std::string(2 * depth, ' ')))
        return "";
      ++at;
    }
    if (at == lines.size()) return "";
    if (dot == std::string::npos) {
      std::string value = lines[at].substr(start.size());
      if (const auto remark = value.find("  # "); remark != std::string::npos) value.resize(remark);
      return value.empty() ? "" : value.substr(1);
    }
    path = path.substr(dot + 1);
    ++depth;
    ++at;
  }
}

TEST(ReadTest, LaunchesAreReadAsTheyAreMeant) {
  const auto rows = table("good.csv");
  std::set<std::string> files;
  for (const auto& row : rows) {
    files.insert(row[0]);
    Diagnostics diagnostics;
    const auto reading =
        read_launch({{row[0], text_of(kFolder + "good/" + row[0])}}, any_names(), diagnostics);
    ASSERT_TRUE(reading) << row[0] << "\n" << render(diagnostics);
    EXPECT_EQ(value_of(reading->scenario, row[1]), row[2]) << row[0] << " " << row[1] << "\n"
                                                           << reading->scenario;
  }
  EXPECT_GE(files.size(), 60U);
}

TEST(ReadTest, EveryScenarioIsYaml) {
  for (const auto& entry : std::filesystem::directory_iterator(kFolder + "good")) {
    Diagnostics diagnostics;
    const std::string name = entry.path().filename();
    const auto reading = read_launch({{name, text_of(entry.path())}}, any_names(), diagnostics);
    ASSERT_TRUE(reading) << name << render(diagnostics);
    EXPECT_TRUE(config::parse_yaml(name, reading->scenario)) << reading->scenario;
  }
}

TEST(ReadTest, BrokenLaunchesAreRefusedAtTheirLine) {
  const auto rows = table("broken.csv");
  EXPECT_GE(rows.size(), 60U);
  for (const auto& row : rows) {
    Diagnostics diagnostics;
    const auto reading =
        read_launch({{row[0], text_of(kFolder + "broken/" + row[0])}}, any_names(), diagnostics);
    EXPECT_FALSE(reading) << row[0];
    if (diagnostics.empty()) {
      ADD_FAILURE() << row[0] << " is read without a complaint";
      continue;
    }
    const Error& error = diagnostics.errors().front();
    EXPECT_EQ(error.code, std::stoi(row[1])) << row[0] << "\n" << render(diagnostics);
    if (row[2] == "0") continue;
    EXPECT_EQ(error.where.line, std::stoul(row[2])) << row[0] << "\n" << render(diagnostics);
  }
}

TEST(ShellTest, WordsAreThoseOfTheShell) {
  const auto script =
      read_shell("A=1\nB=\"two $A\"\nrun --x=$A \"$B\" 'a b' c\\ d ${E:-f} # remark\n");
  ASSERT_EQ(script.commands.size(), 1U);
  std::vector<std::string> words;
  for (const Word& word : script.commands[0]) words.push_back(word.text);
  EXPECT_EQ(words, (std::vector<std::string>{"run", "--x=1", "two 1", "a b", "c d", "f"}));
}

TEST(ShellTest, AWordOfAnUnknownVariableIsNotKnown) {
  const auto script = read_shell("run $WHERE \"$@\" $(date)\n");
  ASSERT_EQ(script.commands[0].size(), 3U);
  EXPECT_FALSE(script.commands[0][1].is_known);
  EXPECT_FALSE(script.commands[0][2].is_known);
}

TEST(ShellTest, ArraysThatHoldThemselvesEnd) {
  std::string text = "a=(x)\n";
  for (int i = 0; i < 60; ++i) text += "a+=(\"${a[@]}\" \"${a[@]}\")\n";
  const auto script = read_shell(text + "run \"${a[@]}\"\n");
  EXPECT_LE(script.commands.size(), 2U);
}

}  // namespace
}  // namespace loadfactor::launch

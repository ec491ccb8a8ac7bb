// What is known of a source, a program that measures, a model or a chip is data. The code that
// scores published results compares none of their names.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/csv.h"

namespace loadfactor::validation {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = LF_SOURCE_DIR;

std::string text_of(const fs::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Names in some columns of a shipped table: whole cells, and the first two folders of a source.
void add_names(const char* file, std::set<std::string>& names, std::set<std::string>& software) {
  Diagnostics diagnostics;
  const auto table = config::parse_csv(file, text_of(kRoot / "data/published" / file), diagnostics);
  ASSERT_TRUE(table);
  const auto cell = [&](const auto& row, const char* column) {
    const auto at = table->column(column);
    return at ? lower_case(row[*at].text) : std::string();
  };
  for (const auto& row : table->rows) {
    for (const char* column : {"harness", "model", "accelerator"}) names.insert(cell(row, column));
    for (const char* column : {"engine", "framework"}) software.insert(cell(row, column));
    const std::string id = cell(row, "id"), source = cell(row, "source");
    names.insert(id.substr(0, id.rfind('-')));
    const std::string place = source.substr(0, source.find_first_of("@: "));
    for (std::size_t from = 0, part = 0; from < place.size() && part < 3; ++part) {
      const std::size_t end = std::min(place.find('/', from), place.size());
      names.insert(place.substr(from, end - from));
      from = end + 1;
    }
  }
}

// Names of at least five letters; shorter ones are words of other meanings. What an engine or a
// framework is called belongs to the row's software.
std::set<std::string> names_of_sources() {
  std::set<std::string> names, software;
  for (const char* file : {"serving.csv", "training.csv"}) add_names(file, names, software);
  std::erase_if(
      names, [&](const std::string& name) { return name.size() < 5 || software.contains(name); });
  return names;
}

std::vector<std::string> literals_of(const std::string& code) {
  static const std::regex kComment("//[^\n]*");
  static const std::regex kInclude("#include[^\n]*");
  static const std::regex kLiteral(R"re("((?:[^"\\\n]|\\.)*)")re");
  const std::string used = std::regex_replace(code, kInclude, std::string());
  const std::string bare = std::regex_replace(used, kComment, std::string());
  std::vector<std::string> found;
  for (std::sregex_iterator at(bare.begin(), bare.end(), kLiteral), end; at != end; ++at)
    found.push_back((*at)[1].str());
  return found;
}

// The first of the names that stands in the text as a word of its own.
std::string name_in(const std::string& text, const std::set<std::string>& names) {
  const std::string lower = lower_case(text);
  const auto is_letter = [&](std::size_t at) {
    return at < lower.size() && std::isalnum(static_cast<unsigned char>(lower[at])) != 0;
  };
  for (const std::string& name : names) {
    const std::size_t at = lower.find(name);
    if (at == std::string::npos) continue;
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + name.size())) return name;
  }
  return {};
}

TEST(RulesAreDataTest, NoNameOfASourceAHarnessAModelOrAChipStandsInCode) {
  const auto names = names_of_sources();
  ASSERT_TRUE(names.contains("inferencex"));
  ASSERT_GT(names.size(), 80U);
  int files = 0, literals = 0;
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / "src/validation")) {
    const std::string file = entry.path().filename().string();
    const std::string ending = entry.path().extension().string();
    const bool is_code = ending == ".cc" || ending == ".h";
    if (!is_code || file.ends_with("_test.cc") || file.ends_with("_fixture.h")) continue;
    ++files;
    for (const std::string& literal : literals_of(text_of(entry.path()))) {
      ++literals;
      EXPECT_EQ(name_in(literal, names), "") << file << ": \"" << literal << '"';
    }
  }
  EXPECT_GT(files, 40);
  EXPECT_GT(literals, 300);
}

TEST(RulesAreDataTest, TheLookNoticesAName) {
  const auto names = names_of_sources();
  const auto literals =
      literals_of("if (mentions(notes, \"x InferenceX y\")) return;  // \"MLPerf\"");
  ASSERT_EQ(literals.size(), 1U);
  EXPECT_EQ(name_in(literals.front(), names), "inferencex");
  EXPECT_EQ(name_in("inferencexy", names), "");
}

}  // namespace
}  // namespace loadfactor::validation

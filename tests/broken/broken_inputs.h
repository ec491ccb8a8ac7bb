// Runs a folder of deliberately broken files through a reader.
//
// The folder holds expect.csv with the columns file,damage,line,code: reading `file` must give an
// error of that code on that line (0: the file as a whole). A file that stands in the folder but
// not in the table, or the other way round, fails the test. Inputs too large to be kept in the
// tree are made by the test and handed over as `generated`.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/csv.h"
#include "loadfactor/result.h"

namespace loadfactor::broken {

struct BrokenInput {
  std::string name;
  std::string damage;  // The kind of damage: "truncated", "wrong type", …
  std::uint32_t line = 0;
  int code = 0;
  std::string text;
};

// Reads one text under a file name and returns everything that is wrong with it.
using Reader = std::function<Diagnostics(const std::string& file, const std::string& text)>;

struct Demands {
  std::size_t files = 60;
  std::size_t kinds_of_damage = 12;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

inline int number_in(const std::string& text) {
  int value = -1;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The rows of expect.csv, each with the text of its file.
inline std::vector<BrokenInput> load_broken_inputs(const std::filesystem::path& folder) {
  std::vector<BrokenInput> inputs;
  Diagnostics diagnostics;
  const auto table = config::parse_csv("expect.csv", read_file(folder / "expect.csv"), diagnostics);
  EXPECT_TRUE(table.has_value()) << folder << " has no readable expect.csv";
  EXPECT_TRUE(diagnostics.empty()) << render(diagnostics);
  if (!table) return inputs;
  for (const auto& row : table->rows) {
    const std::filesystem::path path = folder / row[0].text;
    EXPECT_TRUE(std::filesystem::is_regular_file(path)) << path << " is in expect.csv only";
    inputs.push_back({row[0].text, row[1].text, static_cast<std::uint32_t>(number_in(row[2].text)),
                      number_in(row[3].text), read_file(path)});
  }
  return inputs;
}

inline void expect_every_file_is_listed(const std::filesystem::path& folder,
                                        const std::vector<BrokenInput>& inputs) {
  std::set<std::string> listed{"expect.csv"};
  for (const BrokenInput& input : inputs) {
    EXPECT_TRUE(listed.insert(input.name).second) << input.name << " stands twice in expect.csv";
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    const std::string name = std::filesystem::relative(entry.path(), folder).generic_string();
    EXPECT_TRUE(listed.contains(name)) << name << " is not in expect.csv";
  }
}

inline void expect_refused(const BrokenInput& input, const Reader& read) {
  SCOPED_TRACE(input.name);
  const Diagnostics diagnostics = read(input.name, input.text);
  const std::string rendered = render(diagnostics);
  const auto& errors = diagnostics.errors();
  const bool found = std::any_of(errors.begin(), errors.end(), [&](const Error& error) {
    return error.where.line == input.line && error.code == input.code;
  });
  EXPECT_TRUE(found) << "expected LF" << input.code << " on line " << input.line << ", got:\n"
                     << (rendered.empty() ? "no error at all" : rendered.substr(0, 4000));
  for (const Error& error : errors) {
    EXPECT_NE(find_error_code(error.code), nullptr) << "LF" << error.code << " is not registered";
    EXPECT_EQ(error.where.file, input.name);
    EXPECT_FALSE(error.message.empty());
  }
}

// Every input is refused at the expected place, and there are enough of them.
inline void expect_all_refused(const std::filesystem::path& folder, const Reader& read,
                               const std::vector<BrokenInput>& generated = {},
                               const Demands& demands = {}) {
  std::vector<BrokenInput> inputs = load_broken_inputs(folder);
  expect_every_file_is_listed(folder, inputs);
  EXPECT_GE(inputs.size(), demands.files);
  inputs.insert(inputs.end(), generated.begin(), generated.end());
  std::set<std::string> kinds;
  for (const BrokenInput& input : inputs) {
    kinds.insert(input.damage);
    expect_refused(input, read);
  }
  EXPECT_GE(kinds.size(), demands.kinds_of_damage);
}

}  // namespace loadfactor::broken

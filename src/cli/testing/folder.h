// A folder that lives as long as a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor::cli::testing {

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::path(::testing::TempDir()) / name) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }
  std::string read(const std::string& name) const {
    std::ifstream file(path_ / name);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// A file of data/, and a measurement that the fuzzers start from.
inline std::string data(const std::string& path) {
  return std::string(LF_SOURCE_DIR) + "/data/" + path;
}
inline std::string corpus(const std::string& name) {
  return std::string(LF_SOURCE_DIR) + "/tests/fuzz/corpus/measurement/" + name;
}

// However the lines are broken.
inline bool says(const std::string& text, const std::string& words) {
  std::string flat;
  for (const char c : text) {
    const bool blank = c == '\n' || c == ' ';
    if (!blank || flat.empty() || flat.back() != ' ') flat += blank ? ' ' : c;
  }
  return flat.find(words) != std::string::npos || text.find(words) != std::string::npos;
}

// No line is wider than every terminal shows.
inline void expect_narrow(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    EXPECT_LE(width, 80U) << line;
  }
}

}  // namespace loadfactor::cli::testing

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "cli/testing/program.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;
namespace fs = std::filesystem;

// The PATH is a folder with these programs alone, as long as this lives.
class OnlyOnPath {
 public:
  explicit OnlyOnPath(std::initializer_list<const char*> programs)
      : folder_(fs::path(::testing::TempDir()) / "lf_doctor_path"), before_(std::getenv("PATH")) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const char* program : programs) {
      std::ofstream(folder_ / program) << "#!/bin/sh\n";
      fs::permissions(folder_ / program, fs::perms::owner_all);
    }
    ::setenv("PATH", folder_.c_str(), 1);
  }
  ~OnlyOnPath() {
    ::setenv("PATH", before_.c_str(), 1);
    fs::remove_all(folder_);
  }
  OnlyOnPath(const OnlyOnPath&) = delete;
  OnlyOnPath& operator=(const OnlyOnPath&) = delete;

 private:
  fs::path folder_;
  std::string before_;
};

std::string line_of(const std::string& text, std::string_view word) {
  const auto at = text.find(word);
  return at == text.npos ? "" : text.substr(at, text.find('\n', at) - at);
}

TEST(Doctor, NamesTheOptionalProgramsThatAreMissing) {
  const OnlyOnPath path{"sbatch", "kubectl"};
  const std::string missing = line_of(loadfactor({"doctor"}).out, "missing ");
  EXPECT_NE(missing.find("promtool"), std::string::npos) << missing;
  EXPECT_EQ(missing.find("kubectl"), std::string::npos) << missing;
}

TEST(Doctor, TakesAnyBrowserThatPrintsForTheBrowser) {
  const OnlyOnPath path{"google-chrome"};
  const std::string missing = line_of(loadfactor({"doctor"}).out, "missing ");
  EXPECT_EQ(missing.find("chromium"), std::string::npos) << missing;
}

TEST(Doctor, SaysThatNoProbeIsHere) {
  const OnlyOnPath path{};
  EXPECT_NE(loadfactor({"doctor"}).out.find("no loadfactor-probe"), std::string::npos);
}

TEST(Doctor, FindsTheProbeOnThePath) {
  const OnlyOnPath path{"loadfactor-probe"};
  EXPECT_EQ(loadfactor({"doctor"}).out.find("no loadfactor-probe"), std::string::npos);
}

TEST(Doctor, VersionNamesNumberCommitAndDateOfData) {
  const std::string said = loadfactor({"--version"}).out;
  EXPECT_TRUE(std::regex_match(
      said, std::regex("loadfactor \\d+\\.\\d+\\.\\d+ \\(commit ([0-9a-f]{10}|unknown), prices to "
                       "\\d{4}-\\d{2}-\\d{2}\\)\n")))
      << said;
}

}  // namespace
}  // namespace loadfactor::cli

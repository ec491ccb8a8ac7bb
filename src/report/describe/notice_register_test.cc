#include "report/describe/notice_register.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace loadfactor::report {
namespace {

// The sources that confess something, tests left out.
std::vector<std::string> sources() {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::filesystem::path(LF_SOURCE_DIR) / "src")) {
    const std::string name = entry.path().filename().string();
    const bool is_code = name.ends_with(".cc") || name.ends_with(".h");
    if (!is_code || name.ends_with("_test.cc") || name.starts_with("notice_register")) continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Ids as they are written: `note("id", …`, `note(answer, "id", …`, `{"id", Severity::…`.
std::set<std::string> used_ids() {
  const std::regex noted("\\bnote\\(\\s*(?:answer,\\s*)?\"([a-z0-9-]+)\"");
  const std::regex listed("\\{\\s*\"([a-z0-9-]+)\",\\s*Severity::k");
  std::set<std::string> ids;
  for (const std::string& text : sources())
    for (const std::regex* pattern : {&noted, &listed})
      for (std::sregex_iterator it(text.begin(), text.end(), *pattern), end; it != end; ++it)
        ids.insert((*it)[1]);
  return ids;
}

TEST(NoticeRegisterTest, EveryIdThatIsUsedIsRegistered) {
  const auto ids = used_ids();
  EXPECT_GT(ids.size(), 100U);
  for (const std::string& id : ids) EXPECT_NE(find_notice(id), nullptr) << id;
}

TEST(NoticeRegisterTest, EveryRowIsUsedOnceAndSaysWhatItMeans) {
  const auto rows = notice_register();
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [](const auto& a, const auto& b) { return a.id < b.id; }));
  const auto texts = sources();
  for (const NoticeKind& kind : rows) {
    EXPECT_EQ(find_notice(kind.id), &kind) << kind.id;
    EXPECT_FALSE(kind.meaning.empty()) << kind.id;
    const std::string quoted = "\"" + std::string(kind.id) + "\"";
    EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [&](const std::string& text) {
      return text.find(quoted) != std::string::npos;
    })) << kind.id;
  }
}

TEST(NoticeRegisterTest, WhatIsNotRegisteredIsNotFound) {
  EXPECT_EQ(find_notice("no-such-notice"), nullptr);
  EXPECT_EQ(find_notice(""), nullptr);
  EXPECT_EQ(find_notice("zzz"), nullptr);
}

}  // namespace
}  // namespace loadfactor::report

#include "report/describe/notice_register.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

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
    if (!is_code || name.ends_with("_test.cc") || name.starts_with("notice_register") ||
        name.starts_with("notice_texts"))
      continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

constexpr std::string_view kSpace = " \n";

// The text in quotes that begins at a place, white space before it skipped; else nothing.
std::string quoted_at(const std::string& text, std::size_t at) {
  at = text.find_first_not_of(kSpace, at);
  if (at == std::string::npos || text[at] != '"') return {};
  return text.substr(at + 1, text.find('"', at + 1) - at - 1);
}

// `note("id", …` and `note(answer, "id", …`.
void add_noted(const std::string& text, std::set<std::string>& ids) {
  constexpr std::string_view kCall = "note(";
  constexpr std::string_view kAnswer = "answer,";
  for (std::size_t at = text.find(kCall); at != std::string::npos; at = text.find(kCall, at + 1)) {
    const bool is_longer_name = at > 0 && (std::isalpha(text[at - 1]) != 0 || text[at - 1] == '_');
    if (is_longer_name) continue;
    std::size_t from = text.find_first_not_of(kSpace, at + kCall.size());
    if (from != std::string::npos && text.compare(from, kAnswer.size(), kAnswer) == 0)
      from += kAnswer.size();
    if (from != std::string::npos) ids.insert(quoted_at(text, from));
  }
}

// `{"id", Severity::k…`.
void add_listed(const std::string& text, std::set<std::string>& ids) {
  constexpr std::string_view kSeverity = "Severity::k";
  for (std::size_t at = text.find(kSeverity); at != std::string::npos;
       at = text.find(kSeverity, at + 1)) {
    const std::size_t comma = text.find_last_not_of(kSpace, at - 1);
    if (comma == std::string::npos || comma < 2 || text[comma] != ',' || text[comma - 1] != '"')
      continue;
    const std::size_t open = text.rfind('"', comma - 2);
    const std::size_t brace = text.find_last_not_of(kSpace, open - 1);
    if (brace != std::string::npos && text[brace] == '{') ids.insert(quoted_at(text, open));
  }
}

// `.id = "id"`.
void add_named(const std::string& text, std::set<std::string>& ids) {
  constexpr std::string_view kMember = ".id = ";
  for (std::size_t at = text.find(kMember); at != std::string::npos;
       at = text.find(kMember, at + 1))
    ids.insert(quoted_at(text, at + kMember.size()));
}

std::set<std::string> used_ids() {
  std::set<std::string> ids;
  for (const std::string& text : sources()) {
    add_noted(text, ids);
    add_listed(text, ids);
    // Rules of audits have ids as well.
    if (text.find("otice") != std::string::npos) add_named(text, ids);
  }
  ids.erase("");
  return ids;
}

TEST(NoticeRegisterTest, EveryIdThatIsUsedIsRegistered) {
  const auto ids = used_ids();
  EXPECT_GT(ids.size(), 100U);
  const auto phrases = phrase_texts();
  for (const std::string& id : ids) {
    const bool is_phrase = std::any_of(phrases.begin(), phrases.end(),
                                       [&](const NoticeText& row) { return row.id == id; });
    EXPECT_TRUE(is_phrase || find_notice(id) != nullptr) << id;
  }
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

TEST(NoticeRegisterTest, EveryTextBelongsToARowAndIsRaisedWithItsArguments) {
  const auto by_id = [](const auto& a, const auto& b) { return a.id < b.id; };
  const auto phrases = phrase_texts();
  EXPECT_TRUE(std::is_sorted(phrases.begin(), phrases.end(), by_id));
  const auto code = sources();
  const auto occurs = [&](std::string_view word) {
    const std::string quoted = "\"" + std::string(word) + "\"";
    return std::any_of(code.begin(), code.end(), [&](const std::string& text) {
      return text.find(quoted) != std::string::npos;
    });
  };
  const auto is_raised = [&](const NoticeText& row) {
    EXPECT_TRUE(occurs(row.id)) << row.id;
    for (const auto name : argument_names(row.text)) EXPECT_TRUE(occurs(name)) << row.id << name;
  };
  std::map<std::string_view, std::size_t> table_of;
  for (std::size_t i = 0; i < notice_texts().size(); ++i) {
    const auto texts = notice_texts()[i];
    EXPECT_TRUE(std::is_sorted(texts.begin(), texts.end(), by_id));
    for (const NoticeText& row : texts) {
      EXPECT_NE(find_notice(row.id), nullptr) << row.id;
      EXPECT_EQ(table_of.emplace(row.id, i).first->second, i) << row.id << " is in two tables";
      is_raised(row);
    }
  }
  for (const NoticeText& row : phrases) is_raised(row);
}

TEST(NoticeRegisterTest, PhrasesAreToldOneAfterTheOther) {
  const auto way = [](const char* option, const char* price) {
    return Notice{.id = "way-to-pay", .arguments = {{"option", option}, {"price", price}}};
  };
  Notice bound = way("reserved-1y", "2.00");
  bound.arguments.push_back({"days", "3.0 days"});
  bound.arguments.push_back({"cost", "9 USD"});
  bound.arguments.push_back({"binds", "365.0 days"});
  const Notice notice{.id = "ways-to-pay",
                      .arguments = {{"machine", "H100"},
                                    {"used", "", {way("spot", "1.00")}},
                                    {"others", "", {way("on-demand", "3.00"), bound}}}};
  EXPECT_EQ(text_of(notice),
            "H100: priced spot at 1.00 USD per GPU-hour; on-demand at 3.00 USD per GPU-hour; "
            "reserved-1y at 2.00 USD per GPU-hour, 3.0 days, 9 USD (binds for 365.0 days, the run "
            "takes 3.0 days)");
}

TEST(NoticeRegisterTest, ArgumentsTakeTheirPlacesInTheTextOfTheirNames) {
  const Notice few{.id = "beyond-limits",
                   .arguments = {{"gpus_needed", "24"}, {"gpus_allowed", "8"}}};
  EXPECT_EQ(text_of(few), "GPUs instead: 24 are needed, and the limit is 8");
  const Notice power{
      .id = "beyond-limits",
      .arguments = {
          {"drawn", "9 kW"}, {"site", "8 kW"}, {"fed", "7"}, {"machines", "8 × h100-sxm"}}};
  EXPECT_EQ(text_of(power),
            "GPUs instead: 8 × h100-sxm draws 9 kW of the 8 kW that the site has, which feed 7");
  EXPECT_EQ(severity_of(Notice{.id = "no-price"}), Severity::kCaution);
  EXPECT_EQ(text_of(Notice{"fleet", Severity::kNote, "2 replicas"}), "2 replicas");
}

TEST(NoticeRegisterTest, PartsAreSaidWhereTheirArgumentsAreGiven) {
  Notice notice{.id = "anchored", .arguments = {{"factor", "1.2"}, {"run", "a.json"}}};
  EXPECT_EQ(text_of(notice), "every step is scaled by 1.2, from one measured run (a.json)");
  notice.arguments.push_back({"factor_full", "1.3"});
  EXPECT_EQ(text_of(notice),
            "every step is scaled by 1.2 (1.3 when full), from one measured run (a.json)");
  notice.arguments.push_back({std::string(kSubject), "a model"});
  EXPECT_TRUE(text_of(notice).starts_with("a model: every step is scaled by 1.2 (1.3 when full)"));
}

TEST(NoticeRegisterTest, OneOfSomethingIsNotSeveral) {
  const auto told_of = [](const char* rows) {
    return text_of(Notice{.id = "out-of-order", .arguments = {{"rows", rows}}});
  };
  EXPECT_EQ(told_of("1 row"), "1 row was put in order");
  EXPECT_EQ(told_of("12 rows"), "12 rows were put in order");
}

TEST(NoticeRegisterTest, ANoticeMayBeGraverThanItsRow) {
  EXPECT_EQ(severity_of(Notice{.id = "rows-dropped"}), Severity::kNote);
  EXPECT_EQ(severity_of(Notice{.id = "rows-dropped", .severity = Severity::kCaution}),
            Severity::kCaution);
  EXPECT_EQ(severity_of(Notice{.id = "gaps"}), Severity::kCaution);
}

TEST(NoticeRegisterTest, WhatIsNotRegisteredIsNotFound) {
  EXPECT_EQ(find_notice("no-such-notice"), nullptr);
  EXPECT_EQ(find_notice(""), nullptr);
  EXPECT_EQ(find_notice("zzz"), nullptr);
}

}  // namespace
}  // namespace loadfactor::report

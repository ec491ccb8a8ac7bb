// A word that an option cannot take is pointed at, whatever the other options are.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "facade/forms/form.h"
#include "facade/forms/read_question.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {
namespace {

constexpr const char* kScenario =
    "loadfactor: 1\\nname: t\\nserve:\\n  model: llama-3.1-8b\\n  demand: {requests_per_month: 3 "
    "M, "
    "tokens_in: 100, tokens_out: 10}\\n";

struct WrongWord {
  const char* verb;
  const char* options;  // Those beside the one that is wrong.
  const char* option;
  const char* word;
  int code;
};

std::ostream& operator<<(std::ostream& out, const WrongWord& wrong) {
  return out << wrong.verb << " --" << wrong.option << " " << wrong.word;
}

class WrongWords : public ::testing::TestWithParam<WrongWord> {};

TEST_P(WrongWords, ArePointedAt) {
  const WrongWord& wrong = GetParam();
  std::string json = std::string(R"({"verb": ")") + wrong.verb + R"(", "options": {)" +
                     wrong.options + R"(")" + wrong.option + R"(": ")" + wrong.word + R"("})";
  if (std::string(wrong.verb) != "fit")
    json += std::string(R"(, "scenario": ")") + kScenario + "\"";
  json += "}";
  Diagnostics problems;
  EXPECT_FALSE(question_from_json(json, {.today = "2026-11-15"}, problems).has_value());
  ASSERT_EQ(problems.size(), 1U) << render(problems);
  const Error& error = problems.errors().front();
  EXPECT_EQ(error.code, wrong.code) << render(problems);
  EXPECT_TRUE(is_at_option(error, wrong.option, wrong.word)) << render(problems);
  EXPECT_EQ(error.where.line, 1U);
  EXPECT_EQ(error.where.length, std::string(wrong.word).size());
  EXPECT_FALSE(is_at_option(error, wrong.option, std::string(wrong.word) + "0"));
  EXPECT_FALSE(is_at_option(error, "other", wrong.word));
}

constexpr const char* kFit = R"("model": "llama-3.1-8b", "gpu": "h100-sxm", )";
constexpr const char* kSimulate = R"("simulate": true, )";
constexpr const char* kSearch = R"("search": true, )";

INSTANTIATE_TEST_SUITE_P(
    OfVerbs, WrongWords,
    ::testing::Values(WrongWord{"fit", kFit, "context", "many", lf::kNotANumber},
                      WrongWord{"fit", kFit, "context", "0", lf::kOutOfRange},
                      WrongWord{"fit", kFit, "tp", "1.5", lf::kOutOfRange},
                      WrongWord{"fit", kFit, "chunk", "8 GB", lf::kWrongUnit},
                      WrongWord{"fit", kFit, "util", "much", lf::kNotANumber},
                      WrongWord{"serve", kSimulate, "timeout", "0 s", lf::kOutOfRange},
                      WrongWord{"serve", kSimulate, "timeout", "30", lf::kMissingUnit},
                      WrongWord{"serve", kSimulate, "first-token-timeout", "-1 s", lf::kOutOfRange},
                      WrongWord{"serve", kSearch, "cold-start", "3 GB", lf::kWrongUnit},
                      WrongWord{"serve", kSearch, "maintenance", "soon", lf::kNotANumber},
                      WrongWord{"fill", "", "think", "-3 s", lf::kOutOfRange},
                      WrongWord{"fill", "", "think", "3 h/s", lf::kWrongUnit}));

}  // namespace
}  // namespace loadfactor::facade

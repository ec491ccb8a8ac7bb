#include "launch/findings/findings.h"

#include <string>

#include <gtest/gtest.h>

#include "base/error_codes.h"

namespace loadfactor::launch {
namespace {

class FindingsTest : public ::testing::Test {
 protected:
  Place line(std::uint32_t number) const { return {&script_, number, 3, 4}; }

  Diagnostics diagnostics_;
  Findings findings_{diagnostics_};
  const Source& script_ = findings_.add("train.sh", "#!/bin/sh\nTP=4\nrun --tp $TP\nrun --tp 8\n");
};

TEST_F(FindingsTest, TheSameSaidTwiceIsNoContradictionAndAnotherIsOneAtItsPlace) {
  findings_.set("train.layout.tp", 4, line(2));
  findings_.set("train.layout.tp", 4, line(3));
  EXPECT_TRUE(diagnostics_.empty());
  findings_.set("train.layout.tp", 8, line(4));
  ASSERT_EQ(diagnostics_.size(), 1U);
  const Error& error = diagnostics_.errors().front();
  EXPECT_EQ(error.code, lf::kContradictoryKeys);
  EXPECT_EQ(error.where.file, "train.sh");
  EXPECT_EQ(error.where.line, 4U);
  EXPECT_NE(error.message.find("train.sh:2"), std::string::npos) << error.message;
  EXPECT_EQ(findings_.number("train.layout.tp"), 4);
}

TEST_F(FindingsTest, AGuessGivesWayAndNeverTakesAPlace) {
  findings_.guess("nodes", "1", "torchrun's default");
  EXPECT_TRUE(findings_.is_guess("nodes"));
  findings_.set("nodes", 2, line(3));
  EXPECT_FALSE(findings_.is_guess("nodes"));
  findings_.guess("nodes", "9", "another default");
  EXPECT_EQ(findings_.number("nodes"), 2);
  EXPECT_TRUE(diagnostics_.empty());
}

TEST_F(FindingsTest, ACommandLineOverridesAConfigurationWhicheverIsReadFirst) {
  {
    const AsConfiguration weight(findings_);
    findings_.set("train.sequence", 2048, line(2));
  }
  findings_.set("train.sequence", 4096, line(3));
  findings_.set("train.precision", "bf16", line(3));
  {
    const AsConfiguration weight(findings_);
    findings_.set("train.precision", "fp16", line(2));
  }
  EXPECT_TRUE(diagnostics_.empty());
  EXPECT_EQ(findings_.number("train.sequence"), 4096);
  EXPECT_EQ(findings_.find("train.precision")->value, "bf16");
  EXPECT_EQ(findings_.remarks().size(), 2U);  // Each says what was passed over.
}

TEST_F(FindingsTest, AnOpenKeyTakesNoDefaultAndIsAnsweredByWhatFollows) {
  findings_.guess("world", "8", "a default");
  findings_.leave_open("world", line(3), "$WORLD is set elsewhere");
  EXPECT_TRUE(findings_.is_open("world"));
  EXPECT_EQ(findings_.find("world"), nullptr);
  findings_.guess("world", "16", "another default");
  EXPECT_EQ(findings_.find("world"), nullptr);
  findings_.conclude("world", "32", "nodes times their GPUs");
  EXPECT_FALSE(findings_.is_open("world"));
  EXPECT_EQ(findings_.number("world"), 32);
  EXPECT_TRUE(findings_.is_guess("world"));
}

TEST_F(FindingsTest, WhatIsKnownIsNotLeftOpen) {
  findings_.set("world", 8, line(2));
  findings_.leave_open("world", line(3), "it may be another");
  EXPECT_FALSE(findings_.is_open("world"));
  EXPECT_EQ(findings_.number("world"), 8);
}

TEST_F(FindingsTest, TwoArmsOfATestSayNothingTogether) {
  const std::string doubt = "set only where a test holds";
  findings_.take("nodes", "1", line(2), doubt);
  EXPECT_TRUE(findings_.is_guess("nodes"));
  findings_.take("nodes", "4", line(3), doubt);
  EXPECT_TRUE(findings_.is_open("nodes"));
  findings_.take("nodes", "2", line(4), "");
  EXPECT_EQ(findings_.number("nodes"), 2);
  EXPECT_FALSE(findings_.is_guess("nodes"));
}

TEST_F(FindingsTest, AMovedKeyKeepsItsValueAndItsDoubt) {
  findings_.set("serve.deployment.tp", 4, line(2));
  findings_.leave_open("serve.deployment.dp", line(3), "unknown");
  findings_.move("serve.deployment.tp", "serve.deployment.prefill.tp");
  findings_.move("serve.deployment.dp", "serve.deployment.prefill.dp");
  EXPECT_EQ(findings_.find("serve.deployment.tp"), nullptr);
  EXPECT_EQ(findings_.number("serve.deployment.prefill.tp"), 4);
  EXPECT_EQ(findings_.find("serve.deployment.prefill.tp")->key, "serve.deployment.prefill.tp");
  EXPECT_TRUE(findings_.is_open("serve.deployment.prefill.dp"));
}

TEST_F(FindingsTest, ARemarkOfSeveralLinesIsSaidOnceWithTheFirstFour) {
  for (std::uint32_t number = 1; number <= 6; ++number) findings_.remark("odd", line(number));
  findings_.remark("odd", line(6));
  findings_.remark("of no\tfile", {});
  EXPECT_EQ(findings_.remarks(),
            (std::vector<std::string>{"train.sh:1, 2, 3, 4 and 2 more lines: odd", "of no file"}));
}

TEST_F(FindingsTest, AnErrorIsToldOnceAndFiftyAreEnough) {
  for (int i = 0; i < 3; ++i) findings_.error(lf::kWrongType, line(2), "no number");
  EXPECT_EQ(diagnostics_.size(), 1U);
  for (int i = 0; i < 100; ++i)
    findings_.error(lf::kWrongType, line(2), "no number " + std::to_string(i));
  EXPECT_EQ(diagnostics_.size(), 50U);
}

TEST_F(FindingsTest, APartHasTheLinesOfItsFileWhereItsTextStandsThere) {
  const Source& map = findings_.add("map.yaml", "data:\n  serve.sh: |\n    run a\n    run b\n");
  const Source& part = findings_.add_part(map, "serve.sh", "run a\nrun b\n", 2);
  EXPECT_EQ(part.shown(), "map.yaml");
  EXPECT_EQ(part.lines.line(part.text, 4), "run b");
  const Source& folded = findings_.add_part(map, "other.sh", "run a run b", 2);
  EXPECT_EQ(folded.shown(), "map.yaml/other.sh");
  EXPECT_EQ(folded.lines.line(folded.text, 1), "run a run b");
}

TEST_F(FindingsTest, FilesAreKnownByTheLastPartOfTheirNames) {
  findings_.promise("conf/ds.json");
  findings_.offer("scripts/train.sh", "run\n");
  EXPECT_TRUE(findings_.reads("/somewhere/ds.json"));
  EXPECT_TRUE(findings_.is_given("other/train.sh"));
  EXPECT_FALSE(findings_.reads("train.sh"));
  EXPECT_FALSE(findings_.is_given("ds.yaml"));
}

TEST(PlainNumberTest, UnderscoresBetweenDigitsAreNone) {
  struct Row {
    const char* text;
    const char* plain;
  };
  for (const auto& [text, plain] : {Row{"1_000_000", "1000000"}, Row{"1_0", "10"}, Row{"_1", "_1"},
                                    Row{"1_", "1_"}, Row{"1__0", "1__0"}, Row{"a_1", "a_1"}})
    EXPECT_EQ(plain_number(text), plain);
}

TEST(SecretsTest, NamesThatHoldSecretsAreKnownHoweverTheyAreWritten) {
  for (const char* name : {"HF_TOKEN", "hf-token", "hfToken", "--api-key", "adminPassword",
                           "WANDB_API_KEY", "client_secret"})
    EXPECT_TRUE(is_secret_name(name)) << name;
  for (const char* name : {"max_tokens", "tokens", "--tokenizer", "keys", "MODEL", "monkey"})
    EXPECT_FALSE(is_secret_name(name)) << name;
}

TEST(SecretsTest, NothingThatIsToldRepeatsOne) {
  Secrets secrets;
  secrets.learn("export HF_TOKEN=hf_abcdefgh12345678\nrun https://me:s3cretword@host/x\n");
  const std::string told =
      secrets.hidden("run.sh: hf_abcdefgh12345678 and s3cretword are here, llama is not hidden");
  EXPECT_EQ(told.find("hf_abcdefgh12345678"), std::string::npos) << told;
  EXPECT_EQ(told.find("s3cretword"), std::string::npos) << told;
  EXPECT_NE(told.find("llama is not hidden"), std::string::npos) << told;
}

}  // namespace
}  // namespace loadfactor::launch

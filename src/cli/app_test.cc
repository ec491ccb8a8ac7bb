#include <algorithm>
#include <fstream>
#include <new>
#include <ostream>
#include <sstream>
#include <streambuf>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/session/environment.h"

namespace loadfactor::cli {
namespace {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;
};

Outcome loadfactor(std::vector<const char*> arguments) {
  std::ostringstream out;
  std::ostringstream err;
  Environment environment;
  environment.out = &out;
  environment.err = &err;
  environment.today = "2026-11-15";
  arguments.insert(arguments.begin(), "loadfactor");
  const int status = run(static_cast<int>(arguments.size()), arguments.data(), environment);
  return {status, out.str(), err.str()};
}

bool fits_in(const std::string& text, std::size_t columns) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    if (width > columns) return false;
  }
  return true;
}

TEST(CommandLineTest, WelcomesInTwelveLinesOrFewer) {
  const auto outcome = loadfactor({});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 12);
}

// A device that takes nothing, as a full disk.
class FullDisk : public std::streambuf {};

TEST(CommandLineTest, WhatCannotBeWrittenIsNoAnswer) {
  const std::vector<std::vector<const char*>> calls{{"loadfactor"},
                                                    {"loadfactor", "--help"},
                                                    {"loadfactor", "--version"},
                                                    {"loadfactor", "fit", "gpt2"}};
  for (const auto& call : calls) {
    FullDisk disk;
    std::ostream out(&disk);
    std::ostringstream err;
    Environment environment;
    environment.out = &out;
    environment.err = &err;
    environment.today = "2026-11-15";
    EXPECT_EQ(run(static_cast<int>(call.size()), call.data(), environment), 4) << call.back();
    EXPECT_NE(err.str().find("LF602"), std::string::npos) << err.str();
  }
}

// A device that fails as a system without memory does.
class NoMemory : public std::streambuf {
 protected:
  int_type overflow(int_type /*letter*/) override { throw std::bad_alloc(); }
};

TEST(CommandLineTest, MemoryThatRunsOutIsTheSystemsFaultNotOurs) {
  NoMemory device;
  std::ostream out(&device);
  out.exceptions(std::ios::badbit);
  std::ostringstream err;
  Environment environment;
  environment.out = &out;
  environment.err = &err;
  const std::vector<const char*> call{"loadfactor", "--version"};
  EXPECT_EQ(run(static_cast<int>(call.size()), call.data(), environment), 4);
  EXPECT_NE(err.str().find("LF606"), std::string::npos) << err.str();
}

TEST(CommandLineTest, FitAnswersFirstAndWithinEightyColumns) {
  const auto outcome = loadfactor({"fit", "llama-3.3-70b", "--gpu", "h100-sxm", "--tp", "4"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.out.starts_with("FITS on 4 × "));
  EXPECT_TRUE(fits_in(outcome.out, 80)) << outcome.out;
}

TEST(CommandLineTest, DoesNotFitIsExitStatusThreeWithTheClosestThatDoes) {
  const auto outcome = loadfactor({"fit", "llama-3.1-405b", "--gpu", "l4", "--tp", "1"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_NE(outcome.out.find("DOES NOT FIT"), std::string::npos);
}

TEST(CommandLineTest, JsonGivesTheContractedFields) {
  const auto outcome = loadfactor({"fit", "gpt2", "--format", "json"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* field : {"\"loadfactor\": 1", "\"verb\": \"fit\"", "\"total\": 124439808",
                            "\"kv_per_token\"", "\"kv_tokens\"", "\"sequences\"", "\"fits\": true",
                            "\"min_gpus\": 1", "\"notices\"", "\"provenance\""}) {
    EXPECT_NE(outcome.out.find(field), std::string::npos) << field;
  }
}

TEST(CommandLineTest, SameQuestionSameBytes) {
  const auto first = loadfactor({"fit", "mixtral-8x7b", "--format", "json"});
  const auto second = loadfactor({"fit", "mixtral-8x7b", "--format", "json"});
  EXPECT_EQ(first.out, second.out);
}

TEST(CommandLineTest, UnknownVerbGetsTheNearest) {
  const auto outcome = loadfactor({"fitt", "gpt2"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("did you mean 'fit'"), std::string::npos);
}

TEST(CommandLineTest, UnknownFlagGetsTheNearest) {
  const auto outcome = loadfactor({"fit", "gpt2", "--contxt", "100"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("did you mean '--context'"), std::string::npos) << outcome.err;
}

TEST(CommandLineTest, AMissingFileIsTheOutsideWorld) {
  const auto outcome = loadfactor({"fit", "./no-such-folder/config.json"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_NE(outcome.err.find("LF601"), std::string::npos);
}

TEST(CommandLineTest, BadNumbersAreRefused) {
  for (const char* bad : {"0", "-1", "x", "1.5", "nan", "1e30", "8 GB"}) {
    const auto outcome = loadfactor({"fit", "gpt2", "--context", bad});
    EXPECT_EQ(outcome.status, 2) << bad << outcome.out;
  }
}

TEST(CommandLineTest, EveryErrorCodeIsExplained) {
  const auto list = loadfactor({"explain", "codes"});
  EXPECT_EQ(list.status, 0);
  std::istringstream lines(list.out);
  int codes = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto at = line.find("LF");
    if (at == std::string::npos) continue;
    const std::string code = line.substr(at, 5);
    EXPECT_EQ(loadfactor({"explain", code.c_str()}).status, 0) << code;
    ++codes;
  }
  EXPECT_GT(codes, 40);
}

TEST(CommandLineTest, TermsAreExplainedAndUnknownOnesGetTheNearest) {
  EXPECT_EQ(loadfactor({"explain", "mfu"}).status, 0);
  // Answers name generations of engines; one term tells of all.
  EXPECT_NE(loadfactor({"explain", "vllm-async"}).out.find("0.14 and later"), std::string::npos);
  const auto outcome = loadfactor({"explain", "mfuu"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("'mfu'"), std::string::npos);
}

TEST(CommandLineTest, TheCatalogueListsAndShows) {
  const auto list = loadfactor({"catalog", "gpus", "h100"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("h100-sxm"), std::string::npos);
  EXPECT_EQ(list.out.find("mi300x"), std::string::npos);
  EXPECT_NE(loadfactor({"catalog", "gpus", "Gaudi 3"}).out.find("gaudi3"), std::string::npos);
  EXPECT_TRUE(fits_in(list.out, 80)) << list.out;
  const auto one = loadfactor({"catalog", "show", "H100-SXM-80GB"});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.out.find("schema: accelerator/1"), std::string::npos);
  const auto data = loadfactor({"catalog", "show", "H100-SXM-80GB", "--format", "json"});
  EXPECT_EQ(data.status, 0);
  EXPECT_NE(data.out.find("\"name\": \"h100-sxm\""), std::string::npos) << data.out;
  EXPECT_NE(data.out.find("\"key\": \"memory.bandwidth\""), std::string::npos);
  EXPECT_EQ(loadfactor({"catalog", "show", "no-such-thing"}).status, 2);
  EXPECT_EQ(loadfactor({"catalog", "gpu"}).status, 2);
}

TEST(CommandLineTest, AnOutputCalledMinusIsStandardOutput) {
  for (const std::vector<const char*>& words : std::vector<std::vector<const char*>>{
           {"catalog", "gpus"}, {"schema", "scenario"}, {"explain", "mfu"}, {"init", "serve"}}) {
    auto with = words;
    with.insert(with.end(), {"-o", "-"});
    const auto outcome = loadfactor(with);
    EXPECT_EQ(outcome.status, 0) << words[0];
    EXPECT_EQ(outcome.out, loadfactor(words).out) << words[0];
    EXPECT_FALSE(outcome.out.empty()) << words[0];
  }
  EXPECT_FALSE(std::ifstream("-").is_open());
}

TEST(CommandLineTest, AScoreOfNothingIsNotAPerfectScore) {
  const std::string path = testing::TempDir() + "nothing.csv";
  std::ofstream(path) << "id,model,accelerator,gpus,tokens_per_s_per_gpu\na,no-such,no-chip,8,1\n";
  const auto outcome = loadfactor({"validate", "--training", path.c_str()});
  EXPECT_EQ(outcome.status, 2) << outcome.out;
}

TEST(CommandLineTest, AFormThatAnAnswerDoesNotHaveIsRefused) {
  EXPECT_EQ(loadfactor({"explain", "mfu", "--format", "csv"}).status, 2);
  EXPECT_EQ(loadfactor({"fit", "gpt2", "--format", "xml"}).status, 2);
}

TEST(CommandLineTest, DemoPlansAShippedScenario) {
  const auto outcome = loadfactor({"demo"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(fits_in(outcome.out, 80)) << outcome.out;
  EXPECT_NE(outcome.out.find("$ loadfactor plan"), std::string::npos);
  EXPECT_NE(outcome.out.find("Load factor"), std::string::npos);
}

TEST(CommandLineTest, DoctorFindsTheCatalogueSound) {
  const auto outcome = loadfactor({"doctor"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("problems   0"), std::string::npos);
}

TEST(CommandLineTest, OurOwnFilesAreSound) {
  const std::string data = std::string(LF_SOURCE_DIR) + "/data/";
  for (const char* file : {"lineup.yaml", "glossary.yaml", "engines/vllm.yaml", "models/gpt2.yaml",
                           "scenarios/support-chat.yaml", "calibration/site-terms.yaml"}) {
    const std::string path = data + file;
    EXPECT_EQ(loadfactor({"schema", "check", path.c_str()}).status, 0) << file;
  }
}

TEST(CommandLineTest, HelpFitsInEightyColumnsAndNamesTheProgram) {
  const std::string all = loadfactor({"--help"}).out;
  EXPECT_TRUE(fits_in(all, 80)) << all;
  for (const char* verb : {"plan", "train", "serve", "fill", "validate", "calibrate", "explain"}) {
    const auto outcome = loadfactor({verb, "--help"});
    EXPECT_EQ(outcome.status, 0);
    EXPECT_TRUE(fits_in(outcome.out, 80)) << outcome.out;
    const std::string usage = std::string("Usage: loadfactor ") + verb;
    EXPECT_NE(outcome.out.find(usage), std::string::npos) << outcome.out;
  }
}

// A screen: forty lines.
TEST(CommandLineTest, HelpOfEveryVerbFitsAScreenAndSaysNothingTwice) {
  for (const std::vector<const char*>& verb :
       std::vector<std::vector<const char*>>{{"plan"},          {"diff"},
                                             {"audit"},         {"demo"},
                                             {"fit"},           {"train"},
                                             {"serve"},         {"cost"},
                                             {"demand"},        {"fill"},
                                             {"validate"},      {"probe"},
                                             {"calibrate"},     {"init"},
                                             {"init", "serve"}, {"catalog"},
                                             {"explain"},       {"schema"},
                                             {"doctor"},        {"completion"},
                                             {"init", "train"}, {"calibrate", "serving"}}) {
    auto words = verb;
    words.push_back("--help");
    const auto outcome = loadfactor(words);
    std::string usage = "Usage: loadfactor";
    for (const char* word : verb) usage += std::string(" ") + word;
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_NE(outcome.out.find(usage + " "), std::string::npos) << outcome.out;
    EXPECT_LE(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 40) << outcome.out;
    const auto once = outcome.out.find("--reproducible");
    const bool twice = once != std::string::npos &&
                       outcome.out.find("--reproducible", once + 1) != std::string::npos;
    EXPECT_FALSE(twice) << outcome.out;
  }
}

TEST(CommandLineTest, AnAnswerIsNotTakenForAScenario) {
  const std::string path = ::testing::TempDir() + "/lf_answer.json";
  std::ofstream(path) << R"({"loadfactor": 1, "verb": "train", "answer": {}})";
  const auto outcome = loadfactor({"schema", "check", path.c_str()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("an answer of 'train'"), std::string::npos) << outcome.err;
}

TEST(CommandLineTest, ListsAndConstantsFitInEightyColumns) {
  const std::string scenario =
      std::string(LF_SOURCE_DIR) + "/data/scenarios/train-llama-70b-512-h100.yaml";
  EXPECT_TRUE(fits_in(loadfactor({"catalog", "gpus"}).out, 80));
  const auto explained = loadfactor({"train", scenario.c_str(), "--explain"});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_TRUE(fits_in(explained.out, 80)) << explained.out;
}

TEST(CommandLineTest, SchemasArePrinted) {
  const auto list = loadfactor({"schema"});
  EXPECT_EQ(list.status, 0);
  EXPECT_NE(list.out.find("scenario"), std::string::npos);
  const auto one = loadfactor({"schema", "scenario"});
  EXPECT_EQ(one.status, 0);
  EXPECT_NE(one.out.find("\"$schema\""), std::string::npos);
  EXPECT_EQ(loadfactor({"schema", "scenari"}).status, 2);
}

}  // namespace
}  // namespace loadfactor::cli

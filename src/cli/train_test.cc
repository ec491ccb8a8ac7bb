#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/testing/folder.h"
#include "cli/testing/program.h"
#include "report/train/scale_report.h"

namespace loadfactor::cli {
namespace {

using testing::loadfactor;
using testing::says;

std::string shipped() {
  return std::string(LF_SOURCE_DIR) + "/data/scenarios/train-llama-70b-512-h100.yaml";
}

// A file that lives as long as the test.
class TemporaryFile {
 public:
  TemporaryFile(const std::string& name, const std::string& text)
      : path_(::testing::TempDir() + name) {
    std::ofstream(path_) << text;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(TrainVerbTest, AnswersFirstAndWithinEightyColumns) {
  const auto outcome = loadfactor({"train", shipped()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("A step takes ")) << outcome.out;
  for (const char* word : {"512 = tp 8 × pp 4 × dp 16", "tokens/s", "MFU", "HFU", "days",
                           "Why it is not faster", "stage 1 of 4", "As paid for"})
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    std::size_t width = 0;
    for (const char c : line) width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    EXPECT_LE(width, 80U) << line;
  }
}

TEST(TrainVerbTest, JsonGivesTheContractedFields) {
  const auto outcome = loadfactor({"train", shipped(), "--format", "json"});
  EXPECT_EQ(outcome.status, 0);
  for (const char* field :
       {"\"loadfactor\": 1", "\"verb\": \"train\"", "\"tp\": 8", "\"pp\": 4", "\"dp\": 16",
        "\"step_time\"", "\"tokens_per_s\"", "\"mfu\"", "\"hfu\"", "\"memory\"", "\"breakdown\"",
        "\"fits\": true", "\"basis\": \"calibrated\"", "\"notices\"", "\"provenance\""})
    EXPECT_NE(outcome.out.find(field), std::string::npos) << field;
  EXPECT_EQ(outcome.out.find("null"), std::string::npos);
}

TEST(TrainVerbTest, OtherFormatsAndTheSumAreThere) {
  EXPECT_NE(loadfactor({"train", shipped(), "--format", "csv"}).out.find("matrix products,"),
            std::string::npos);
  EXPECT_TRUE(loadfactor({"train", shipped(), "--format", "md"}).out.starts_with("**A step"));
  const auto explained = loadfactor({"train", shipped(), "--explain"});
  EXPECT_NE(explained.out.find("hbm_efficiency"), std::string::npos);
  EXPECT_NE(explained.out.find(" ms = "), std::string::npos);
}

TEST(TrainVerbTest, ATraceHasAStagePerTrack) {
  const std::string path = ::testing::TempDir() + "lf_train_trace.json";
  const auto outcome = loadfactor({"train", shipped(), "--trace", path});
  EXPECT_EQ(outcome.status, 0);
  const std::string trace = read(path);
  std::remove(path.c_str());
  EXPECT_TRUE(trace.starts_with("{\"displayTimeUnit\""));
  EXPECT_NE(trace.find("\"stage 4\""), std::string::npos);
  EXPECT_EQ(trace.find("\"stage 5\""), std::string::npos);
  EXPECT_NE(trace.find("\"optimizer\""), std::string::npos);
}

TEST(TrainVerbTest, ATraceGoesToStandardOutputOrSaysWhyThereIsNone) {
  const auto streamed = loadfactor({"train", shipped(), "--trace", "-"});
  EXPECT_TRUE(streamed.out.starts_with("{\"displayTimeUnit\"")) << streamed.out.substr(0, 40);
  std::ifstream stray("-");
  EXPECT_FALSE(stray.good());
  const TemporaryFile large("lf_train_no_trace.yaml",
                            "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-405b\n"
                            "  layout: {gpus: 8}\nhardware: [h100-sxm]\n");
  const auto none =
      loadfactor({"train", large.path(), "--trace", ::testing::TempDir() + "lf_none"});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.err.find("no trace"), std::string::npos) << none.err;
}

TEST(TrainVerbTest, EveryRowOfTheTablesCanBeExplained) {
  for (const char* word : {"matrix products",
                           "attention",
                           "pointwise",
                           "embedding and head",
                           "recomputation",
                           "tensor parallel",
                           "context parallel",
                           "expert all-to-all",
                           "sharded parameters",
                           "data parallel",
                           "pipeline sends",
                           "pipeline bubble",
                           "uneven stages",
                           "optimizer",
                           "host",
                           "stragglers",
                           "weights",
                           "gradients",
                           "activations",
                           "logits",
                           "buffers",
                           "context",
                           "MFU",
                           "HFU",
                           "gemm",
                           "Bubble",
                           "straggler"})
    EXPECT_EQ(loadfactor({"explain", word}).status, 0) << word;
}

TEST(TrainVerbTest, StacksAndCalibrationsCanBeChecked) {
  const std::string data = std::string(LF_SOURCE_DIR) + "/data/";
  for (const char* file : {"stacks/xla.yaml", "stacks/rules.yaml", "calibration/training.yaml",
                           "calibration/h200-sxm/fit.yaml"})
    EXPECT_EQ(loadfactor({"schema", "check", data + file}).status, 0) << file;
  const TemporaryFile broken("lf_stack.yaml", "schema: stack/1\nname: lf_stack\n");
  EXPECT_EQ(loadfactor({"schema", "check", broken.path()}).status, 2);
  // A kind without a reader is refused by its name, not read as a scenario.
  const TemporaryFile strange("lf_strange.yaml", "schema: recipe/1\nname: soup\n");
  const auto outcome = loadfactor({"schema", "check", strange.path()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_NE(outcome.err.find("'recipe/1'"), std::string::npos) << outcome.err;
}

TEST(TrainVerbTest, ExitStatusesTellWhoCanMendIt) {
  EXPECT_EQ(loadfactor({"train", "./no-such.yaml"}).status, 4);
  EXPECT_EQ(loadfactor({"train"}).status, 2);
  const TemporaryFile broken("lf_train_broken.yaml",
                             "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n"
                             "  layout: {tp: 3}\n");
  const auto refused = loadfactor({"train", broken.path()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find(":5:"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("LF102"), std::string::npos) << refused.err;
  const TemporaryFile large("lf_train_large.yaml",
                            "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-70b\n"
                            "  global_batch: 8\n"
                            "  layout: {gpus: 8, tp: 8, recompute: none}\nhardware: [h100-sxm]\n");
  const auto infeasible = loadfactor({"train", large.path()});
  EXPECT_EQ(infeasible.status, 3) << infeasible.err;
  EXPECT_TRUE(infeasible.out.starts_with("DOES NOT FIT")) << infeasible.out;
  EXPECT_NE(infeasible.out.find("closest that fits"), std::string::npos) << infeasible.out;
}

TEST(TrainVerbTest, ALimitThatIsMissedIsSaidFirstAndIsNoFeasibleAnswer) {
  const std::string start =
      "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
      "  global_batch: 64\n  tokens: 1 B\n  deadline: 10 days\n"
      "  layout: {gpus: 8, tp: 1, pp: 1, zero: 2, micro_batch: 1, recompute: full}\n"
      "hardware: [h100-sxm]\n";
  const TemporaryFile scenario("lf_train_missed.yaml", start + "limits: {budget: 1000 USD}\n");
  const auto ask = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"train", scenario.path()});
    return loadfactor(more);
  };
  for (const char* question : {"--search", "--scale"}) {
    EXPECT_EQ(ask({question}).status, 0) << question;
    EXPECT_EQ(ask({question, "--set", "limits.budget=1 USD"}).status, 3) << question;
    EXPECT_EQ(ask({question, "--set", "train.deadline=1 h"}).status, 3) << question;
  }
  EXPECT_EQ(ask({}).status, 0);
  const auto late = ask({"--set", "train.deadline=1 h"});
  EXPECT_EQ(late.status, 3);
  EXPECT_TRUE(late.out.starts_with("MISSES the deadline of 1.0 h. A step takes")) << late.out;
  const auto poor = ask({"--set", "limits.budget=1 USD", "--format", "json"});
  EXPECT_EQ(poor.status, 3);
  EXPECT_TRUE(says(poor.out, "\"missed\": [ \"limits.budget\" ]")) << poor.out;
}

TEST(TrainVerbTest, OneGpuIsSingular) {
  const TemporaryFile scenario("lf_train_one.yaml",
                               "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-70b\n"
                               "  sequence: 4096\n  global_batch: 64\n"
                               "  layout: {recompute: full}\nhardware: [h100-sxm]\n");
  const auto outcome = loadfactor({"train", scenario.path(), "--scale", "--gpus", "1"});
  EXPECT_EQ(outcome.status, 3);
  EXPECT_TRUE(says(outcome.out, "nothing fits on 1 GPU.")) << outcome.out;
}

TEST(TrainVerbTest, ADayThatCostsNothingIsNotSaidToCostZeroDollars) {
  ScaleAnswer answer;
  ScaleCurve curve;
  for (const int gpus : {8, 16, 32}) {
    ScalePoint point;
    point.train.layout.gpus = gpus;
    if (gpus > 8) point.day_break_even = Dollars::from_base(gpus == 16 ? 0.0 : 5.0);
    curve.points.push_back(point);
  }
  answer.curves = {curve};
  const std::string text = report::scale_text(answer, {});
  EXPECT_EQ(text.find("costs 0 USD"), std::string::npos) << text;
  EXPECT_TRUE(says(text, "a day sooner costs 5 USD at 32 GPUs")) << text;
  EXPECT_TRUE(says(text, "sooner than the size before it and no dearer: 16 GPUs")) << text;
}

TEST(TrainVerbTest, FlagsOfAnotherQuestionAreRefused) {
  using Arguments = std::vector<std::string>;
  for (const Arguments& flags : {Arguments{"--search", "--scale"},
                                 {"--exhaustive", "--scale"},
                                 {"--objective", "cost"},
                                 {"--gpus", "8"},
                                 {"--headroom", "10"},
                                 {"--scale", "--objective", "cost"},
                                 {"--search", "--efficiency", "70"},
                                 {"--search", "--trace", "x.json"}}) {
    Arguments all{"train", shipped()};
    all.insert(all.end(), flags.begin(), flags.end());
    const auto outcome = loadfactor(all);
    EXPECT_EQ(outcome.status, 2) << flags[0];
    EXPECT_NE(outcome.err.find("LF603"), std::string::npos) << outcome.err;
    EXPECT_TRUE(outcome.out.empty());
  }
}

TEST(TrainVerbTest, AListWithAnEmptyItemIsRefusedWithAHint) {
  using Arguments = std::vector<std::string>;
  for (const char* list : {"8,,16", ",8", "8,", "", " , "}) {
    for (const Arguments& flags : {Arguments{"train", shipped(), "--search", "--gpus", list},
                                   {"train", shipped(), "--search", "--precision", list},
                                   {"serve", shipped(), "--batches", list}}) {
      const auto outcome = loadfactor(flags);
      EXPECT_EQ(outcome.status, 2) << flags[3] << " " << list;
      EXPECT_TRUE(says(outcome.err, "is empty: write values with one comma between two"))
          << outcome.err;
      EXPECT_TRUE(outcome.out.empty());
    }
  }
  for (const char* wrong : {"8,x", "0", "8,-1", "1.5"}) {
    const auto outcome = loadfactor({"train", shipped(), "--search", "--gpus", wrong});
    EXPECT_EQ(outcome.status, 2) << wrong;
  }
}

TEST(TrainVerbTest, AListMayBeWrittenWithBlanksOrOneFlagEach) {
  const TemporaryFile scenario("lf_train_list.yaml",
                               "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n"
                               "  sequence: 4096\n  global_batch: 16\n"
                               "  layout: {tp: 1, pp: 1, recompute: full}\nhardware: [h100-sxm]\n");
  const std::vector<std::string> start{"train",    scenario.path(), "--search",
                                       "--format", "json",          "--reproducible"};
  const auto with = [&start](std::vector<std::string> flags) {
    flags.insert(flags.begin(), start.begin(), start.end());
    return loadfactor(flags).out;
  };
  const std::string plain = with({"--gpus", "8,16"});
  EXPECT_NE(plain.find("\"machines\": 2"), std::string::npos) << plain;
  EXPECT_EQ(with({"--gpus", "8, 16"}), plain);
  EXPECT_EQ(with({"--gpus", "8", "--gpus", "16"}), plain);
}

TEST(TrainVerbTest, HeadroomIsSaidInTheAnswerInWordsAndInFigures) {
  const TemporaryFile scenario("lf_train_headroom.yaml",
                               "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n"
                               "  sequence: 4096\n  global_batch: 16\n"
                               "  layout: {tp: 1, pp: 1, recompute: full}\nhardware: [h100-sxm]\n");
  for (const char* question : {"--search", "--scale"}) {
    const std::vector<std::string> asked{"train", scenario.path(), question, "--gpus",
                                         "8",     "--headroom",    "20"};
    const auto text = loadfactor(asked);
    EXPECT_TRUE(says(text.out, "20 % of the memory of every GPU stay free")) << text.out;
    auto json = asked;
    json.insert(json.end(), {"--format", "json"});
    EXPECT_NE(loadfactor(json).out.find("\"headroom_percent\": 20.0"), std::string::npos);
  }
}

TEST(TrainVerbTest, ARunWithoutProgressSaysItFirstAndIsNoAnswer) {
  const TemporaryFile scenario(
      "lf_train_stalled.yaml",
      "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n  sequence: 4096\n"
      "  global_batch: 64\n  tokens: 1 T\n  failures: {restart: 60 days}\n"
      "  layout: {gpus: 64}\nhardware: [h100-sxm]\n");
  const auto text = loadfactor({"train", scenario.path()});
  EXPECT_EQ(text.status, 3);
  EXPECT_TRUE(text.out.starts_with("THE RUN MAKES NO PROGRESS")) << text.out;
  EXPECT_TRUE(says(text.out, "What would help: a faster restart")) << text.out;
  EXPECT_EQ(text.out.find("USD"), std::string::npos) << text.out;
  const auto json = loadfactor({"train", scenario.path(), "--format", "json"});
  EXPECT_EQ(json.status, 3);
  EXPECT_NE(json.out.find("\"progress\": false"), std::string::npos);
  EXPECT_EQ(json.out.find("\"duration\""), std::string::npos);
}

// The shipped hazards with every rate replaced, as a catalogue to lay over.
void write_hazards(const testing::Folder& folder, const std::string& rate) {
  std::istringstream shipped(read(testing::data("reliability/hazards.csv")));
  std::string text;
  for (std::string line; std::getline(shipped, line);) {
    const std::size_t name = line.find(',');
    if (line.starts_with("hazard-"))
      line = line.substr(0, name + 1) + rate + line.substr(line.find(',', name + 1));
    text += line + "\n";
  }
  std::filesystem::create_directories(folder.path() + "/reliability");
  folder.write("reliability/hazards.csv", text);
}

TEST(TrainVerbTest, RunsThatNeverFailAndThatFailAtOnceAreAnsweredInNumbers) {
  const testing::Folder folder("lf-train-hazards");
  write_hazards(folder, "0");
  for (const std::string format : {"table", "json", "csv", "md"}) {
    const auto never =
        loadfactor({"train", shipped(), "--catalog", folder.path(), "--format", format});
    EXPECT_EQ(never.status, 0) << never.err;
    for (const char* word : {" nan", "NaN", " inf", "NO PROGRESS"})
      EXPECT_EQ(never.out.find(word), std::string::npos) << word << never.out;
    const bool table = format == "table";
    EXPECT_EQ(says(never.out, "Goodput 100.0 %"), table) << never.out;
  }
  write_hazards(folder, "1");
  const auto always = loadfactor({"train", shipped(), "--catalog", folder.path()});
  EXPECT_EQ(always.status, 3);
  EXPECT_TRUE(always.out.starts_with("THE RUN MAKES NO PROGRESS")) << always.out;
}

TEST(TrainVerbTest, EveryFormatOfACurveShowsTheSparesThatArePaid) {
  ScaleAnswer answer;
  ScaleCurve curve;
  for (const int gpus : {32, 64}) {
    ScalePoint point;
    point.train.layout.gpus = gpus;
    point.train.goodput = TrainGoodput{};
    point.train.goodput->spare_nodes = gpus == 64 ? 3 : 0;
    curve.points.push_back(point);
  }
  answer.curves = {curve};
  answer.one_or_several = OneOrSeveral{{0, 0}, {0, 1}};
  EXPECT_TRUE(says(report::scale_text(answer, {}), "spare nodes: 3 at 64 GPUs"));
  EXPECT_TRUE(says(report::scale_json(answer, "x"), "\"spare_nodes\": 3"));
  EXPECT_TRUE(says(report::scale_csv(answer), "spare_nodes"));
  EXPECT_TRUE(says(report::scale_markdown(answer), "spare nodes"));
  EXPECT_TRUE(says(report::scale_markdown(answer), "### Decisions"));
}

TEST(TrainVerbTest, AnExplainedSearchShowsItsFirstPlanInFull) {
  const TemporaryFile scenario("lf_train_explained.yaml",
                               "loadfactor: 1\nname: x\ntrain:\n  model: llama-3.1-8b\n"
                               "  global_batch: 32\n  layout: {gpus: 8, tp: 1, pp: 1}\n"
                               "hardware: [h100-sxm]\n");
  const auto plain = loadfactor({"train", "--search", scenario.path()});
  const auto explained = loadfactor({"train", "--search", "--explain", scenario.path()});
  EXPECT_EQ(explained.status, 0) << explained.err;
  EXPECT_EQ(plain.out.find("The first plan in full"), std::string::npos);
  const auto from = explained.out.find("The first plan in full:\nA step takes ");
  ASSERT_NE(from, std::string::npos) << explained.out;
  EXPECT_NE(explained.out.find("hbm_efficiency", from), std::string::npos);
}

TEST(TrainVerbTest, AModelFileIsFoundBesideTheScenario) {
  const TemporaryFile config(
      "lf_train_config.json",
      R"({"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
      "num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,
      "tie_word_embeddings":false,"dtype":"bfloat16"})");
  const TemporaryFile scenario("lf_train_config.yaml",
                               "loadfactor: 1\nname: x\ntrain:\n  model: {config: "
                               "./lf_train_config.json}\n  layout: {gpus: 8}\n");
  const auto outcome = loadfactor({"train", scenario.path(), "--format", "json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("\"total\": 8030261248"), std::string::npos);
}

TEST(TrainVerbTest, AMachineThatIsClearlyCheaperIsNamedWithItsEdits) {
  const std::string path = ::testing::TempDir() + "better-machine.yaml";
  std::ofstream(path) << "loadfactor: 1\nname: better\ntrain:\n  model: llama-3.1-8b\n"
                         "  precision: bf16\n  tokens: 1 B\n  sequence: 4096\n"
                         "  global_batch: 64\nhardware: [l40s, h100-sxm]\nlimits: {gpus: 8}\n";
  const auto first = loadfactor({"train", path, "--format", "json"});
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_NE(first.out.find("\"better-machine\""), std::string::npos) << first.out;
  EXPECT_NE(first.out.find("hardware=[h100-sxm]"), std::string::npos) << first.out;
  // On that machine nothing is left to be said.
  const auto then = loadfactor({"train", path, "--format", "json", "--set", "hardware=[h100-sxm]"});
  EXPECT_EQ(then.out.find("\"better-machine\""), std::string::npos) << then.out;
}

}  // namespace
}  // namespace loadfactor::cli

// Every question through the one door, in JSON and on the command line.
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/text/json_text.h"
#include "cli/testing/program.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const Engine& engine() {
  static const auto made = [] {
    Diagnostics diagnostics;
    return Engine::create({}, diagnostics);
  }();
  return *made;
}

std::string path_of(const std::string& name) {
  return std::string(LF_SOURCE_DIR) + "/data/" + name;
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// {"verb": …, "files": {path: text}, "options": {…, "scenario": path}}: the file keeps its name.
std::string question(const std::string& verb, const std::string& path, const std::string& options,
                     const std::string& role = "scenario") {
  return fmt::format(R"({{"verb": "{}", "files": {{{}: {}}}, "options": {{{}"{}": {}}}}})", verb,
                     json_string(path), json_string(text_of(path)), options, role,
                     json_string(path));
}

constexpr const char* kToday = "2026-11-15";

std::string render_all(const Diagnostics& problems) {
  return render(problems);
}

// The answer to a question in JSON, which must have one.
std::string answer_to(const std::string& json) {
  Diagnostics problems;
  const auto asked = question_from_json(json, {.today = kToday}, problems);
  if (!asked) return "no question: " + render_all(problems);
  const auto answer = engine().ask(asked->question, problems);
  return answer ? to_json(*answer, asked->style) : "no answer: " + render_all(problems);
}

std::string printed(std::vector<std::string> words) {
  words.insert(words.end(), {"--format", "json", "--reproducible", "--threads", "1"});
  return cli::testing::loadfactor(words).out;
}

std::vector<std::string> shipped(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(path_of(folder)))
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path().string());
  return paths;
}

bool has(const std::string& path, const std::string& section) {
  return text_of(path).find("\n" + section + ":") != std::string::npos;
}

constexpr const char* kCommon = "\"reproducible\": true, ";

TEST(FacadeTest, JsonFromAskIsTheCommandLinesForEveryShippedScenario) {
  int compared = 0;
  for (const auto& path : shipped("scenarios")) {
    for (const std::string verb : {"serve", "train"}) {
      if (!has(path, verb)) continue;
      ++compared;
      EXPECT_EQ(answer_to(question(verb, path, kCommon)), printed({verb, path})) << verb << path;
    }
  }
  for (const auto& path : shipped("scenarios/cost")) {
    ++compared;
    EXPECT_EQ(answer_to(question("cost", path, "\"reproducible\": true, \"draws\": 64, ")),
              printed({"cost", path, "--draws", "64"}))
        << path;
  }
  EXPECT_GE(compared, 25);
}

struct Asked {
  std::string verb;
  std::string json;
  std::vector<std::string> words;
};

std::vector<Asked> one_of_each() {
  const std::string chat = path_of("scenarios/chatbot-spiky.yaml");
  const std::string tune = path_of("scenarios/finetune-8b.yaml");
  const std::string pair = path_of("scenarios/train-llama-70b-512-h100.yaml");
  const std::string trace = path_of("demand/../scenarios/audits");
  std::string claim;
  for (const auto& path : shipped("scenarios/audits")) claim = path;
  const std::string diff = fmt::format(
      R"({{"verb": "diff", "files": {{{0}: {1}}}, "set": ["limits.gpus=16"], "options": )"
      R"({{"before": {0}, "draws": 64}}}})",
      json_string(tune), json_string(text_of(tune)));
  return {
      {"plan", question("plan", tune, "\"draws\": 64, "), {"plan", tune, "--draws", "64"}},
      {"fit",
       R"({"verb": "fit", "options": {"model": "llama-3.1-8b", "gpu": "h100-sxm"}})",
       {"fit", "llama-3.1-8b", "--gpu", "h100-sxm"}},
      {"search",
       question("search", pair, "\"gpus\": [64], \"reproducible\": true, "),
       {"train", pair, "--search", "--gpus", "64"}},
      {"scale",
       question("scale", tune, "\"gpus\": \"8,16\", "),
       {"train", tune, "--scale", "--gpus", "8,16"}},
      {"simulate",
       question("simulate", chat, "\"requests\": 500, \"reproducible\": true, "),
       {"serve", chat, "--simulate", "--requests", "500"}},
      {"size",
       question("size", chat, "\"confirm\": 1, \"weeks\": 1, \"reproducible\": true, "),
       {"serve", chat, "--search", "--confirm", "1", "--weeks", "1"}},
      {"fill", question("fill", chat, ""), {"fill", chat}},
      {"audit", question("audit", claim, "", "claim"), {"audit", claim}},
      {"explain", R"({"verb": "explain", "options": {"word": "mfu"}})", {"explain", "mfu"}},
      {"diff", diff, {"diff", tune, "--set", "limits.gpus=16", "--draws", "64"}},
      {"validate",
       R"({"verb": "validate", "options": {"inference": ""}})",
       {"validate", "--inference"}},
      {"calibrate",
       question("calibrate", path_of("calibration/h200-sxm/2026-11-15.json"), "", "files"),
       {"calibrate", path_of("calibration/h200-sxm/2026-11-15.json")}},
      {"catalog",
       R"({"verb": "catalog", "options": {"words": ["gpus", "h100"]}})",
       {"catalog", "gpus", "h100"}},
      {"demand",
       R"({"verb": "demand", "options": {"generate": "global-chat", "duration": "1 h"}})",
       {"demand", "--generate", "global-chat", "--duration", "1 h"}},
  };
}

TEST(FacadeTest, EveryKindOfQuestionIsAnsweredAsTheCommandLineDoes) {
  for (const Asked& asked : one_of_each()) {
    Diagnostics problems;
    const auto read = question_from_json(asked.json, {.today = kToday}, problems);
    ASSERT_TRUE(read) << asked.verb << render(problems);
    EXPECT_EQ(verb_of(read->question), asked.verb);
    const auto answer = engine().ask(read->question, problems);
    ASSERT_TRUE(answer) << asked.verb << render(problems);
    EXPECT_EQ(answer->verb(), asked.verb);
    EXPECT_FALSE(answer->value().is_null()) << asked.verb;
    EXPECT_EQ(to_json(*answer, read->style), printed(asked.words)) << asked.verb;
  }
}

TEST(FacadeTest, StructsThatArePublicComeOutTyped) {
  const auto answer = engine().ask(FitQuestion{.model = "llama-3.1-8b", .accelerator = "h100-sxm"});
  ASSERT_TRUE(answer);
  ASSERT_NE(answer->as<FitAnswer>(), nullptr);
  EXPECT_EQ(answer->as<FitAnswer>()->parameters_total, 8'030'261'248);
  EXPECT_EQ(answer->as<ServeAnswer>(), nullptr);
  EXPECT_EQ(answer->exit_status(), 0);
}

TEST(FacadeTest, WhatDoesNotFitIsAnAnswerWithStatusThree) {
  const auto answer = engine().ask(FitQuestion{
      .model = "llama-3.3-70b", .accelerator = "h100-sxm", .tp = 1, .quantisation = "bf16"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome(), Outcome::kInfeasible);
  EXPECT_EQ(answer->exit_status(), 3);
}

TEST(FacadeTest, AGateThatFailsMakesTheAnswerNo) {
  const std::string tune = path_of("scenarios/finetune-8b.yaml");
  const auto asked = question_from_json(
      question("plan", tune, "\"draws\": 64, \"gate\": [\"gpus <= 0\"], "), {.today = kToday});
  ASSERT_TRUE(asked) << render(asked.error());
  const auto answer = engine().ask(asked->question);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->outcome(), Outcome::kNo);
  ASSERT_EQ(answer->gates().size(), 1U);
  EXPECT_FALSE(answer->gates().front().holds);
}

TEST(QuestionJsonTest, ThreadsAreBoundedAndNoneLeavesThemToTheCaller) {
  const auto asked = [](const std::string& threads) {
    return question_from_json(
        R"({"verb": "catalog", "options": {"words": ["gpus"], "threads": )" + threads + "}}",
        {.threads = 3, .today = kToday});
  };
  for (const char* wrong : {"-3", "4097", "1000000"})
    EXPECT_EQ(asked(wrong).error().code, lf::kOutOfRange) << wrong;
  EXPECT_EQ(std::get<CatalogQuestion>(asked("0")->question).settings.threads, 3);
  EXPECT_EQ(std::get<CatalogQuestion>(asked("2")->question).settings.threads, 2);
}

TEST(QuestionJsonTest, TrueAsksForAnOptionWhoseWordMayBeLeftOut) {
  const auto inference = [](const std::string& value) {
    const auto asked =
        question_from_json(R"({"verb": "validate", "options": {"inference": )" + value + "}}");
    return asked ? to_json(asked->question) : render(asked.error());
  };
  EXPECT_EQ(inference("true"), inference("\"\""));
  EXPECT_NE(inference("true"), inference("false"));
}

TEST(QuestionJsonTest, KeysThatStandTwiceAreRefused) {
  for (
      const char* text :
      {R"({"verb": "fit", "verb": "fit", "options": {"model": "llama-3.1-8b"}})",
       R"({"verb": "fit", "options": {"model": "llama-3.1-8b", "model": "llama-3.3-70b"}})",
       R"({"verb": "fit", "files": {"a": {"text": "x", "text": "y"}}, "options": {"model": "a"}})"})
    EXPECT_EQ(question_from_json(text).error().code, lf::kDuplicateKey) << text;
}

TEST(QuestionJsonTest, UnknownKeysAreRefusedWithTheirPlaces) {
  Diagnostics problems;
  const std::string text =
      "{\"verb\": \"plan\",\n \"scenaro\": \"x\",\n \"scenario\": \"loadfactor: 1\",\n"
      " \"options\": {\"drws\": 1, \"draws\": 3}}";
  EXPECT_FALSE(question_from_json(text, {}, problems));
  ASSERT_EQ(problems.size(), 3U) << render(problems);
  EXPECT_EQ(problems.errors()[0].code, lf::kUnknownKey);
  EXPECT_EQ(problems.errors()[0].where.line, 2U);
  EXPECT_EQ(problems.errors()[0].where.column, 2U);
  EXPECT_EQ(problems.errors()[1].code, lf::kUnknownKey);
  EXPECT_EQ(problems.errors()[1].where.line, 4U);
  EXPECT_EQ(problems.errors()[2].code, lf::kOutOfRange);
}

// What is wrong with a question of `fit`, beside a model and a chip that are right.
int fault_of(const std::string& members, const std::string& options = "") {
  const std::string text =
      "{\"verb\": \"fit\", \"options\": {\"model\": \"llama-3.1-8b\", \"gpu\": \"h100-sxm\"" +
      options + "}" + members + "}";
  const auto read = question_from_json(text);
  return read ? 0 : read.error().code;
}

TEST(QuestionJsonTest, MembersOfAnotherTypeAreRefusedAndNotPassedOver) {
  EXPECT_EQ(fault_of(""), 0);
  EXPECT_EQ(fault_of(R"(, "set": "limits.gpus=4")"), lf::kWrongType);
  EXPECT_EQ(fault_of(R"(, "files": ["a.yaml"])"), lf::kWrongType);
  EXPECT_EQ(fault_of(R"(, "files": {"a.yaml": {"text": 4}})"), lf::kWrongType);
  EXPECT_EQ(fault_of("", R"(, "reproducible": "no")"), lf::kWrongType);
  EXPECT_EQ(fault_of("", R"(, "context": [1024, 2048])"), lf::kWrongType);
  EXPECT_EQ(question_from_json(R"({"verb": "explain", "options": ["mfu"]})").error().code,
            lf::kWrongType);
}

TEST(QuestionJsonTest, TodayIsADayOfTheCalendar) {
  EXPECT_EQ(fault_of("", R"(, "today": "2026-02-28")"), 0);
  for (const char* day : {"yesterday", "2026-02-30", "2026-2-28", "2026-02-28T", "2026-02-2x"})
    EXPECT_EQ(fault_of("", fmt::format(R"(, "today": "{}")", day)), lf::kOutOfRange) << day;
}

TEST(QuestionJsonTest, WhatAVerbDoesNotReadIsRefused) {
  EXPECT_EQ(fault_of(R"(, "scenario": "loadfactor: 1")"), lf::kUsage);
  EXPECT_EQ(fault_of(R"(, "set": ["limits.gpus=4"])"), lf::kUsage);
  Diagnostics problems;
  EXPECT_FALSE(question_from_json(R"({"verb": "fit"})", {}, problems, "plan"));
  EXPECT_EQ(problems.errors().front().code, lf::kUsage);
}

TEST(QuestionJsonTest, AScenarioIsNoReasonToLeaveOutAnotherOption) {
  const auto read = question_from_json(R"({"verb": "emit", "scenario": "loadfactor: 1"})");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, lf::kMissingKey);
  EXPECT_EQ(read.error().message, "'emit' needs a 'target'");
}

TEST(QuestionJsonTest, AllErrorsOfAScenarioSurvive) {
  const std::string text =
      R"({"verb": "serve", "scenario": "loadfactor: 1\nserve: {modl: a, slo: {x: 1}}\nq: 1"})";
  Diagnostics problems;
  EXPECT_FALSE(question_from_json(text, {}, problems));
  EXPECT_GE(problems.size(), 3U);
  const auto one = question_from_json(text);
  ASSERT_FALSE(one);
  EXPECT_EQ(one.error().notes.size(), problems.size() - 1);
}

TEST(QuestionJsonTest, VerbsAndFilesThatAreNotThereAreRefused) {
  EXPECT_EQ(question_from_json(R"({"verb": "plann"})").error().code, lf::kUnknownWord);
  EXPECT_EQ(question_from_json(R"({"verb": "plan"})").error().code, lf::kMissingKey);
  EXPECT_EQ(question_from_json(R"({"verb": "audit", "options": {"claim": "a.yaml"}})").error().code,
            lf::kCannotRead);
  EXPECT_EQ(question_from_json("{").error().code, lf::kSyntax);
}

TEST(ProgressTest, CancellingFromTheCallbackEndsASearchWithTheBestSoFar) {
  const std::string path = path_of("scenarios/search-gpt3-4096-a100.yaml");
  const auto asked = question_from_json(question("search", path, ""), {});
  ASSERT_TRUE(asked);
  int reports = 0;
  Progress progress;
  progress = Progress([&](double) {
    ++reports;
    progress.cancel();
  });
  const auto answer = engine().ask(asked->question, progress);
  ASSERT_TRUE(answer);
  ASSERT_NE(answer->as<SearchAnswer>(), nullptr);
  EXPECT_TRUE(answer->as<SearchAnswer>()->stopped);
  EXPECT_LE(reports, 64);
}

// What a question tells of its way until another thread wants it no more, and from then on.
struct CancelledWay {
  int before = 0;   // Reports until it was cancelled,
  int after = 0;    // and afterwards.
  double last = 0;  // The last share.
  int code = 0;     // What it ended with; 0: an answer.
};

CancelledWay cancel_at(double share, const std::string& json) {
  CancelledWay way;
  const auto asked = question_from_json(json, {.today = kToday});
  EXPECT_TRUE(asked);
  if (!asked) return way;
  Progress progress;
  progress = Progress([&](double now) {
    way.last = now;
    ++(progress.is_cancelled() ? way.after : way.before);
    if (now >= share) std::thread([&] { progress.cancel(); }).join();
  });
  const auto answer = engine().ask(asked->question, progress);
  if (!answer) way.code = answer.error().code;
  return way;
}

// A question that would take long: what it still does is counted by what it still tells.
TEST(ProgressTest, CancellingFromAnotherThreadEndsSizingAndPlanning) {
  const std::string path = path_of("scenarios/support-chat.yaml");
  for (const std::string verb : {"size", "plan"}) {
    const std::string options = verb == "size" ? "\"confirm\": 1, " : "";
    for (const double share : {0.0, 0.1, 0.4}) {
      const CancelledWay way = cancel_at(share, question(verb, path, options));
      EXPECT_EQ(way.code, kCancelled) << verb << share;
      EXPECT_GT(way.before, 0) << verb << share;
      EXPECT_LE(way.after, 1) << verb << share;
      EXPECT_LT(way.last, share + 0.1) << verb << share;
    }
  }
  EXPECT_EQ(kCancelled, lf::kCancelled);
}

TEST(ProgressTest, CancellingEndsSimulationsInTheMiddleOfARun) {
  const std::string path = path_of("scenarios/support-chat.yaml");
  // Hundreds of batches of requests would follow, each with a report of its own.
  const std::string requests = R"("requests": 1000000, )";
  for (const double share : {0.0, 0.5, 0.52}) {
    const CancelledWay way = cancel_at(share, question("simulate", path, requests));
    EXPECT_EQ(way.code, kCancelled) << share;
    EXPECT_GT(way.before, 0) << share;
    EXPECT_LE(way.after, 1) << share;
    EXPECT_LT(way.last, share + 0.2) << share;
  }
  const CancelledWay fill = cancel_at(0.01, question("fill", path, R"("simulate": true, )"));
  EXPECT_EQ(fill.code, kCancelled);
  EXPECT_GT(fill.before, 1);
  EXPECT_LE(fill.after, 1);
  EXPECT_LT(fill.last, 0.1);
}

// A table of many rows that differ in their number alone, as an option of `validate`.
std::string rows_question(const std::string& option, const std::string& header,
                          const std::string& rest) {
  std::string text = header + "\n";
  for (int i = 1; i <= 60; ++i) text += fmt::format("row-{}{}\n", i, rest);
  return fmt::format(
      R"({{"verb": "validate", "files": {{"rows.csv": {}}}, "options": {{"{}": "rows.csv"}}}})",
      json_string(text), option);
}

TEST(ProgressTest, CancellingEndsValidationsBeforeTheNextRow) {
  const std::vector<std::string> questions{
      R"({"verb": "validate", "options": {"training": ""}})",
      rows_question("inference",
                    "id,model,accelerator,gpus,tp,precision,isl,osl,batch_or_concurrency,metric,"
                    "value,engine,engine_version,notes",
                    ",llama-3.1-8b,h100-sxm,1,1,bf16,1000,200,16,tpot_ms,9,vLLM,0.11.0,closed "
                    "loop"),
      rows_question("steps",
                    "model,layers,hidden,heads,kv_heads,head_dim,ffn,vocab,gated,seq,micro_batch,"
                    "recompute,step_s",
                    ",24,2048,16,16,128,8192,50304,0,2048,2,none,0.0822"),
      rows_question("steps", "id,model,phase,batch,tokens_in,kv_len,seconds",
                    ",llama-3.1-8b,decode,8,8,1000,0.01")};
  for (const std::string& json : questions) {
    const CancelledWay way = cancel_at(0.1, json);
    EXPECT_EQ(way.code, kCancelled) << json.substr(0, 200);
    EXPECT_GT(way.before, 1) << json.substr(0, 200);
    EXPECT_LE(way.after, 1) << json.substr(0, 200);
    EXPECT_LT(way.last, 0.5) << json.substr(0, 200);
  }
}

}  // namespace
}  // namespace loadfactor

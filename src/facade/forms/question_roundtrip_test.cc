// A question written as JSON reads back as the same question, with every field set.
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "config/reading/scenario_reader.h"
#include "facade/forms/given_file.h"
#include "loadfactor/engine.h"

namespace loadfactor {
namespace {

const std::vector<std::string> kSet{"limits.gpus=16"};
const Settings kSettings{.seed = 7, .threads = 3, .today = "2026-11-15"};

constexpr const char* kServe =
    "loadfactor: 1\nname: a\nserve:\n  model: llama-3.1-8b\n"
    "  demand: {trace: day.csv}\nhardware: [h100-sxm]\n";
constexpr const char* kTrain =
    "loadfactor: 1\nname: b\ntrain:\n  model: {config: ./mine}\n  tokens: 1 B\n"
    "  layout: {gpus: 8}\nhardware: [h100-sxm]\n";

config::Scenario scenario(const std::string& name, const std::string& text,
                          const std::vector<std::string>& set = kSet) {
  Diagnostics problems;
  auto read = config::parse_scenario(name, text, set, problems);
  EXPECT_TRUE(read) << render(problems);
  return read ? *std::move(read) : config::Scenario();
}

// A service whose demand no file tells.
ScenarioWithFiles plain_service(const std::string& name) {
  return {scenario(name, "loadfactor: 1\nname: a\nserve: {model: llama-3.1-8b}\n"), {}};
}

ScenarioWithFiles service(const std::string& name = "chat.yaml") {
  return {scenario(name, kServe), {InputFile::of("day.csv", "timestamp\n1\n")}};
}

ScenarioWithFiles run(const std::string& name = "run.yaml") {
  return {scenario(name, kTrain),
          {InputFile::of("./mine/config.json", "{\"layers\": 2}"),
           InputFile::of("./mine/model.safetensors", std::string("\x08\0\xff", 3))}};
}

// Reads back what was written, which must be the same text again.
template <typename T>
T again(const T& question) {
  const std::string text = to_json(Question(question), {.reproducible = true});
  Diagnostics problems;
  const auto read = question_from_json(text, {}, problems);
  EXPECT_TRUE(read) << render(problems) << text;
  if (!read) return {};
  EXPECT_TRUE(read->style.reproducible);
  EXPECT_EQ(to_json(read->question, read->style), text);
  EXPECT_EQ(read->question.index(), Question(question).index());
  return std::get<T>(read->question);
}

void expect_same(const InputFile& read, const InputFile& asked) {
  EXPECT_EQ(read.name, asked.name);
  EXPECT_EQ(read.shown(), asked.shown());
  EXPECT_EQ(read.bytes, asked.bytes);
  EXPECT_EQ(read.size, asked.size);
}

void expect_same(const std::vector<InputFile>& read, const std::vector<InputFile>& asked) {
  ASSERT_EQ(read.size(), asked.size());
  for (std::size_t i = 0; i < read.size(); ++i) expect_same(read[i], asked[i]);
}

void expect_same(const ScenarioWithFiles& read, const ScenarioWithFiles& asked, std::size_t files) {
  ASSERT_TRUE(read.scenario.source);
  EXPECT_EQ(read.scenario.file(), asked.scenario.file());
  EXPECT_EQ(read.scenario.source->text, asked.scenario.source->text);
  EXPECT_EQ(read.scenario.limits.gpus->value, asked.scenario.limits.gpus->value);
  EXPECT_TRUE(facade::edits_of(read.scenario).empty());
  EXPECT_EQ(read.files.size(), files);
  for (std::size_t i = 0; i < read.files.size() && i < asked.files.size(); ++i)
    expect_same(read.files[i], asked.files[i]);
}

void expect_same(const Settings& read, const Settings& asked = kSettings) {
  EXPECT_EQ(read.seed, asked.seed);
  EXPECT_EQ(read.threads, asked.threads);
  EXPECT_EQ(read.today, asked.today);
}

ServeAnchor anchor() {
  return {.metric = "tpot_ms",
          .value = 12.5,
          .concurrency = 16,
          .rate = 2.5,
          .tokens_in = 1000,
          .tokens_out = 200,
          .model = "llama-3.1-8b",
          .source = "bench.json"};
}

void expect_same(const std::optional<ServeAnchor>& read) {
  const ServeAnchor asked = anchor();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->metric, asked.metric);
  EXPECT_EQ(read->value, asked.value);
  EXPECT_EQ(read->concurrency, asked.concurrency);
  EXPECT_EQ(read->rate, asked.rate);
  EXPECT_EQ(read->tokens_in, asked.tokens_in);
  EXPECT_EQ(read->tokens_out, asked.tokens_out);
  EXPECT_EQ(read->model, asked.model);
  EXPECT_EQ(read->source, asked.source);
}

TEST(QuestionRoundTripTest, Plan) {
  const PlanQuestion asked{.about = service(),
                           .settings = kSettings,
                           .draws = 128,
                           .confirm = 5,
                           .gates = {"gpus <= 8", "load_factor >= 0.5"},
                           .page = true,
                           .years = 3};
  const auto read = again(asked);
  expect_same(read.about, asked.about, 1);
  expect_same(read.settings);
  EXPECT_EQ(read.draws, 128);
  EXPECT_EQ(read.confirm, 5);
  EXPECT_EQ(read.gates, asked.gates);
  EXPECT_TRUE(read.page);
  EXPECT_EQ(read.years, 3);
}

TEST(QuestionRoundTripTest, Fit) {
  const FitQuestion asked{.model = "mine",
                          .model_files = {{"config.json", "disk/mine/config.json", "{}", 2},
                                          {"model.safetensors", "mine/model.safetensors",
                                           std::string("\0\xfe", 2), 99}},
                          .accelerator = "h100-sxm",
                          .tp = 4,
                          .pp = 2,
                          .ep = 3,
                          .quantisation = "fp8",
                          .kv_dtype = "bf16",
                          .context = 4096,
                          .engine = "vllm",
                          .memory_fraction = 0.85,
                          .batched_tokens = 2048,
                          .max_sequences = 64};
  const auto read = again(asked);
  EXPECT_EQ(read.model, asked.model);
  ASSERT_EQ(read.model_files.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read.model_files[i].name, asked.model_files[i].name);
    EXPECT_EQ(read.model_files[i].shown_as, asked.model_files[i].shown_as);
    EXPECT_EQ(read.model_files[i].text, asked.model_files[i].text);
    EXPECT_EQ(read.model_files[i].size, asked.model_files[i].size);
  }
  EXPECT_EQ(read.accelerator, asked.accelerator);
  EXPECT_EQ(read.tp, 4);
  EXPECT_EQ(read.pp, 2);
  EXPECT_EQ(read.ep, 3);
  EXPECT_EQ(read.quantisation, "fp8");
  EXPECT_EQ(read.kv_dtype, "bf16");
  EXPECT_EQ(read.context, 4096);
  EXPECT_EQ(read.engine, "vllm");
  EXPECT_EQ(read.memory_fraction, 0.85);
  EXPECT_EQ(read.batched_tokens, 2048);
  EXPECT_EQ(read.max_sequences, 64);
}

TEST(QuestionRoundTripTest, TrainSearchAndScale) {
  const TrainQuestion train{.about = run(), .trace = true};
  const auto trained = again(train);
  expect_same(trained.about, train.about, 2);
  EXPECT_TRUE(trained.trace);

  const SearchQuestion search{.about = run(),
                              .settings = kSettings,
                              .objective = Objective::kEnergy,
                              .placement = Placement::kSpread,
                              .gpus = {8, 16},
                              .precisions = {"bf16", "fp8"},
                              .headroom = 0.07,
                              .exhaustive = true};
  const auto searched = again(search);
  expect_same(searched.about, search.about, 2);
  expect_same(searched.settings);
  EXPECT_EQ(searched.objective, search.objective);
  EXPECT_EQ(searched.placement, search.placement);
  EXPECT_EQ(searched.gpus, search.gpus);
  EXPECT_EQ(searched.precisions, search.precisions);
  EXPECT_EQ(searched.headroom, 0.07);
  EXPECT_TRUE(searched.exhaustive);

  const ScaleQuestion scale{.about = run(),
                            .settings = kSettings,
                            .placement = Placement::kRail,
                            .gpus = {8, 64},
                            .precisions = {"fp8"},
                            .headroom = 0.13,
                            .efficiency = 0.57,
                            .day_value = Dollars::from_base(1234.5)};
  const auto scaled = again(scale);
  expect_same(scaled.about, scale.about, 2);
  expect_same(scaled.settings);
  EXPECT_EQ(scaled.placement, scale.placement);
  EXPECT_EQ(scaled.gpus, scale.gpus);
  EXPECT_EQ(scaled.precisions, scale.precisions);
  EXPECT_EQ(scaled.headroom, 0.13);
  EXPECT_EQ(scaled.efficiency, 0.57);
  EXPECT_EQ(scaled.day_value, scale.day_value);
}

TEST(QuestionRoundTripTest, Serve) {
  const ServeQuestion asked{.about = plain_service("scenario"),
                            .concurrency = 12.5,
                            .kv_tokens = 100'000,
                            .anchor = anchor(),
                            .batches = {1, 8, 64}};
  const auto read = again(asked);
  expect_same(read.about, asked.about, 0);
  EXPECT_EQ(read.concurrency, 12.5);
  EXPECT_EQ(read.kv_tokens, 100'000);
  expect_same(read.anchor);
  EXPECT_EQ(read.batches, asked.batches);
}

TEST(QuestionRoundTripTest, Simulate) {
  const SimulateQuestion asked{.about = service(),
                               .settings = kSettings,
                               .requests = 500,
                               .kv_tokens = 9000,
                               .router = Router::kCacheAware,
                               .timeout = Seconds::from_base(30.5),
                               .first_token_timeout = Seconds::from_base(0.7),
                               .max_waiting = 10,
                               .max_replicas = 4,
                               .target_load = 6,
                               .start_time = Seconds::from_base(0),
                               .plain = true,
                               .trace = true,
                               .anchor = anchor()};
  const auto read = again(asked);
  expect_same(read.about, asked.about, 1);
  expect_same(read.settings);
  EXPECT_EQ(read.requests, 500);
  EXPECT_EQ(read.kv_tokens, 9000);
  EXPECT_EQ(read.router, asked.router);
  EXPECT_EQ(read.timeout, asked.timeout);
  EXPECT_EQ(read.first_token_timeout, asked.first_token_timeout);
  EXPECT_EQ(read.max_waiting, 10);
  EXPECT_EQ(read.max_replicas, 4);
  EXPECT_EQ(read.target_load, 6);
  EXPECT_EQ(read.start_time, asked.start_time);
  EXPECT_TRUE(read.plain);
  EXPECT_TRUE(read.trace);
  expect_same(read.anchor);
}

TEST(QuestionRoundTripTest, Size) {
  const SizeQuestion asked{.about = service(),
                           .settings = kSettings,
                           .spares = 0,
                           .cold_start = Seconds::from_base(61),
                           .maintenance = Seconds::from_base(1800.25),
                           .confirm = 4,
                           .weeks = 2,
                           .fleet = 32};
  const auto read = again(asked);
  expect_same(read.about, asked.about, 1);
  expect_same(read.settings);
  EXPECT_EQ(read.spares, 0);
  EXPECT_EQ(read.cold_start, asked.cold_start);
  EXPECT_EQ(read.maintenance, asked.maintenance);
  EXPECT_EQ(read.confirm, 4);
  EXPECT_EQ(read.weeks, 2);
  EXPECT_EQ(read.fleet, 32);
}

TEST(QuestionRoundTripTest, Fill) {
  FillQuestion asked{.about = service(),
                     .settings = kSettings,
                     .gpu = "h200-sxm",
                     .gpus = 24,
                     .simulate = true,
                     .think_time = Seconds::from_base(11)};
  const auto read = again(asked);
  expect_same(read.about, asked.about, 1);
  expect_same(read.settings);
  EXPECT_EQ(read.gpu, "h200-sxm");
  EXPECT_EQ(read.gpus, 24);
  EXPECT_TRUE(read.simulate);
  EXPECT_EQ(read.think_time, asked.think_time);
  asked.jobs = InputFile::of("jobs.csv", std::string("\x1f\x8b\0", 3));
  asked.busy = 0.6;
  const auto cluster = again(asked);
  ASSERT_TRUE(cluster.jobs);
  expect_same(*cluster.jobs, *asked.jobs);
  EXPECT_EQ(cluster.busy, 0.6);
}

TEST(QuestionRoundTripTest, CostAndAudit) {
  const CostQuestion cost{
      .about = plain_service("cost.yaml"), .settings = kSettings, .draws = 64, .bill_of = "spot"};
  const auto read = again(cost);
  expect_same(read.about, cost.about, 0);
  expect_same(read.settings);
  EXPECT_EQ(read.draws, 64);
  EXPECT_EQ(read.bill_of, "spot");
  const AuditQuestion audit{.claim = InputFile::of("claim.yaml", "schema: claim/1\n"),
                            .gate = AuditGate::kNotInconsistent};
  const auto claim = again(audit);
  expect_same(claim.claim, audit.claim);
  EXPECT_EQ(claim.gate, audit.gate);
}

TEST(QuestionRoundTripTest, Demand) {
  DemandQuestion asked{.task = DemandTask::kFit,
                       .files = {InputFile::of("a.csv", "x"), InputFile::of("b.csv", "y")},
                       .settings = kSettings,
                       .time_unit = TimeUnit::kMicroseconds,
                       .block_tokens = 256,
                       .interval = Seconds::from_base(60),
                       .compress = 1.5,
                       .spread = true};
  const auto read = again(asked);
  EXPECT_EQ(read.task, asked.task);
  expect_same(read.files, asked.files);
  expect_same(read.settings);
  EXPECT_EQ(read.time_unit, asked.time_unit);
  EXPECT_EQ(read.block_tokens, 256);
  EXPECT_EQ(read.interval, asked.interval);
  EXPECT_EQ(read.compress, 1.5);
  EXPECT_TRUE(read.spread);
  const DemandQuestion generate{.task = DemandTask::kGenerate,
                                .settings = kSettings,
                                .model = "mine.yaml",
                                .model_file = InputFile::of("mine.yaml", "schema: traffic/1\n"),
                                .duration = Seconds::from_base(3600),
                                .rate = Hertz::from_base(0.75)};
  const auto made = again(generate);
  EXPECT_EQ(made.task, generate.task);
  EXPECT_EQ(made.model, generate.model);
  ASSERT_TRUE(made.model_file);
  expect_same(*made.model_file, *generate.model_file);
  EXPECT_EQ(made.duration, generate.duration);
  EXPECT_EQ(made.rate, generate.rate);
}

TEST(QuestionRoundTripTest, ExplainAndDiff) {
  const ExplainQuestion explain{
      .subject = "load factor", .about = service(), .settings = kSettings};
  const auto read = again(explain);
  EXPECT_EQ(read.subject, explain.subject);
  ASSERT_TRUE(read.about);
  expect_same(*read.about, *explain.about, 1);
  expect_same(read.settings);

  // The same file on both sides, with something else set in each.
  DiffQuestion diff;
  diff.before = service();
  diff.after =
      ScenarioWithFiles{scenario("chat.yaml", kServe, {"limits.gpus=32"}), service().files};
  diff.settings = kSettings;
  diff.draws = 256;
  diff.gates = {"gpus <= 8"};
  diff.before_runs = true;
  const auto both = again(diff);
  expect_same(std::get<ScenarioWithFiles>(both.before), std::get<ScenarioWithFiles>(diff.before),
              1);
  expect_same(std::get<ScenarioWithFiles>(both.after), std::get<ScenarioWithFiles>(diff.after), 1);
  expect_same(both.settings);
  EXPECT_EQ(both.draws, 256);
  EXPECT_EQ(both.gates, diff.gates);
  EXPECT_TRUE(both.before_runs);
  diff.before = InputFile::of("saved.json", R"({"loadfactor": 1, "verb": "plan", "answer": {}})");
  const auto saved = again(diff);
  expect_same(std::get<InputFile>(saved.before), std::get<InputFile>(diff.before));
}

TEST(QuestionRoundTripTest, ValidateAndCatalog) {
  for (const auto kind : {ValidateKind::kTraining, ValidateKind::kInference, ValidateKind::kSteps,
                          ValidateKind::kRuns}) {
    const ValidateQuestion asked{.kind = kind,
                                 .rows = InputFile::of("rows.csv", "id\n"),
                                 .weights = InputFile::of("weights.csv", "id,weight\n"),
                                 .gpu = "a100",
                                 .stack = "pytorch"};
    const auto read = again(asked);
    EXPECT_EQ(read.kind, kind);
    ASSERT_TRUE(read.rows && read.weights);
    expect_same(*read.rows, *asked.rows);
    expect_same(*read.weights, *asked.weights);
    EXPECT_EQ(read.gpu, "a100");
    EXPECT_EQ(read.stack, "pytorch");
  }
  EXPECT_FALSE(again(ValidateQuestion{.kind = ValidateKind::kInference}).rows);
  for (const auto task :
       {CatalogTask::kOverview, CatalogTask::kList, CatalogTask::kShow, CatalogTask::kCheck}) {
    CatalogQuestion asked{.task = task, .settings = kSettings};
    if (task == CatalogTask::kList) asked.noun = "gpus";
    if (task == CatalogTask::kList || task == CatalogTask::kShow) asked.match = "h100";
    const auto read = again(asked);
    EXPECT_EQ(read.task, task);
    EXPECT_EQ(read.noun, asked.noun);
    EXPECT_EQ(read.match, asked.match);
  }
  const CatalogQuestion import{.task = CatalogTask::kImport,
                               .settings = kSettings,
                               .match = "mine",
                               .files = {InputFile::of("config.json", "{}")},
                               .import = ImportKind::kModel,
                               .name = "my-model",
                               .date = "2026-11-01"};
  const auto read = again(import);
  EXPECT_EQ(read.match, "mine");
  ASSERT_EQ(read.files.size(), 1U);
  EXPECT_EQ(read.files[0].name, "config.json");
  EXPECT_EQ(read.files[0].bytes, "{}");
  EXPECT_EQ(read.import, import.import);
  EXPECT_EQ(read.name, import.name);
  EXPECT_EQ(read.date, import.date);
  expect_same(read.settings);
}

TEST(QuestionRoundTripTest, EmitAndRead) {
  const auto emitted =
      again(EmitQuestion{.target = "vllm", .about = service(), .settings = kSettings});
  EXPECT_EQ(emitted.target, "vllm");
  EXPECT_EQ(emitted.about.scenario.name.value, "a");
  EXPECT_FALSE(emitted.plan);
  expect_same(emitted.settings);
  const auto read = again(ReadQuestion{
      .files = {InputFile::of("train.sh", "torchrun train.py"), InputFile::of("ds.json", "{}")}});
  ASSERT_EQ(read.files.size(), 2U);
  EXPECT_EQ(read.files[0].bytes, "torchrun train.py");
  EXPECT_TRUE(again(PlanQuestion{.about = service(), .launch = true}).launch);
}

TEST(QuestionRoundTripTest, Observe) {
  ObserveQuestion asked;
  asked.files = {InputFile::of("a.prom", "a 1"), InputFile::of("sacct.txt", "1|a")};
  asked.scenarios = {plain_service("chat.yaml")};
  asked.settings = kSettings;
  asked.since = Seconds::from_base(86400);
  asked.checkpoint = Seconds::from_base(3600);
  asked.now = Seconds::from_base(1700000000);
  asked.price = DollarsPerGpuSecond::from_base(2.0 / 3600);
  const auto read = again(asked);
  ASSERT_EQ(read.files.size(), 2U);
  EXPECT_EQ(read.files[1].bytes, "1|a");
  ASSERT_EQ(read.scenarios.size(), 1U);
  EXPECT_EQ(read.since, asked.since);
  EXPECT_EQ(read.checkpoint, asked.checkpoint);
  EXPECT_EQ(read.now, asked.now);
  EXPECT_EQ(read.price, asked.price);
  expect_same(read.settings);
  asked.since.reset();
  EXPECT_FALSE(again(asked).since.has_value());
}

TEST(QuestionRoundTripTest, CalibrateFromASite) {
  SiteMeasurements site;
  site.files = {InputFile::of("probe.json", "{}"), InputFile::of("run.log", "iteration 1")};
  site.scenarios = {run(), plain_service("chat.yaml")};
  site.step_times = {Seconds::from_base(12.3)};
  site.gpu = "h100-sxm";
  site.engine = "vllm";
  site.precision = "fp8";
  site.tp = 8;
  site.find_gap = site.for_overlay = true;
  const auto read = again(CalibrateQuestion{site, kSettings});
  expect_same(read.settings);
  const auto& from = std::get<SiteMeasurements>(read.from);
  expect_same(from.files, site.files);
  ASSERT_EQ(from.scenarios.size(), 2U);
  expect_same(from.scenarios[0], site.scenarios[0], 2);
  expect_same(from.scenarios[1], site.scenarios[1], 0);
  EXPECT_EQ(from.step_times, site.step_times);
  EXPECT_EQ(from.gpu, site.gpu);
  EXPECT_EQ(from.engine, site.engine);
  EXPECT_EQ(from.precision, site.precision);
  EXPECT_EQ(from.tp, 8);
  EXPECT_TRUE(from.find_gap);
  EXPECT_TRUE(from.for_overlay);
}

TEST(QuestionRoundTripTest, CalibrateFromPublishedRowsAndTables) {
  const auto training = again(CalibrateQuestion{TrainingRefit(), kSettings});
  EXPECT_TRUE(std::holds_alternative<TrainingRefit>(training.from));
  const ServingRefit serving{.rows = InputFile::of("rows.csv", "id\n"),
                             .weights = InputFile::of("w.csv", "id,weight\n"),
                             .rows_per_cell = 5,
                             .scale = 0.2,
                             .spread = 0.4,
                             .all_rows = true};
  const auto served = std::get<ServingRefit>(again(CalibrateQuestion{serving, kSettings}).from);
  expect_same(served.rows, serving.rows);
  ASSERT_TRUE(served.weights);
  expect_same(*served.weights, *serving.weights);
  EXPECT_EQ(served.rows_per_cell, 5);
  EXPECT_EQ(served.scale, 0.2);
  EXPECT_EQ(served.spread, 0.4);
  EXPECT_TRUE(served.all_rows);
  const KernelTables kernels{.tables = {{InputFile::of("gemm.csv", "m,n,k\n"), "lab"}},
                             .chip = "h100-sxm",
                             .names = {{"big one", "h200-sxm"}},
                             .date = "2025-03",
                             .worst = 12.5};
  const auto fitted = std::get<KernelTables>(again(CalibrateQuestion{kernels, kSettings}).from);
  ASSERT_EQ(fitted.tables.size(), 1U);
  expect_same(fitted.tables[0].file, kernels.tables[0].file);
  EXPECT_EQ(fitted.tables[0].source, "lab");
  EXPECT_EQ(fitted.chip, kernels.chip);
  ASSERT_EQ(fitted.names.size(), 1U);
  EXPECT_EQ(fitted.names[0].word, "big one");
  EXPECT_EQ(fitted.names[0].chip, "h200-sxm");
  EXPECT_EQ(fitted.date, "2025-03");
  EXPECT_EQ(fitted.worst, 12.5);
  const CollectiveTables links{.tables = {{InputFile::of("nccl.csv", "op\n"), "site"}},
                               .bounds = {{"pcie-4-x16", 2}},
                               .date = "2024"};
  const auto linked = std::get<CollectiveTables>(again(CalibrateQuestion{links, kSettings}).from);
  ASSERT_EQ(linked.tables.size(), 1U);
  expect_same(linked.tables[0].file, links.tables[0].file);
  EXPECT_EQ(linked.tables[0].source, "site");
  ASSERT_EQ(linked.bounds.size(), 1U);
  EXPECT_EQ(linked.bounds[0].link, "pcie-4-x16");
  EXPECT_EQ(linked.bounds[0].ranks, 2);
  EXPECT_EQ(linked.date, "2024");
}

TEST(QuestionRoundTripTest, EditsOfAScenarioAreCarried) {
  PlanQuestion asked{.about = service()};
  asked.about.scenario = asked.about.scenario.with(
      {{"limits.gpus", std::int64_t{24}}, {"serve.precision", std::string("fp8")}});
  const auto read = again(asked);
  EXPECT_EQ(read.about.scenario.limits.gpus->value, 24);
  EXPECT_EQ(read.about.scenario.serve->precision->value, "fp8");
}

TEST(QuestionRoundTripTest, BytesThatAreNoTextSurvive) {
  for (std::size_t length = 0; length < 7; ++length) {
    std::string bytes;
    for (std::size_t i = 0; i < length; ++i) bytes += static_cast<char>(255 - 37 * i);
    EXPECT_EQ(facade::from_base64(facade::to_base64(bytes)), bytes);
  }
  EXPECT_EQ(facade::to_base64("any"), "YW55");
  EXPECT_FALSE(facade::from_base64("YW5"));
  EXPECT_FALSE(facade::from_base64("YW5!"));
}

TEST(QuestionJsonTest, AScenarioIsAFileOfTheQuestionOrItsText) {
  const std::string named =
      R"({"verb": "serve", "scenario": "a.yaml", "files": {"a.yaml": "loadfactor: 1\nname: a\nserve: {model: llama-3.1-8b}\n"}})";
  const auto read = question_from_json(named);
  ASSERT_TRUE(read) << render(read.error());
  EXPECT_EQ(std::get<ServeQuestion>(read->question).about.scenario.file(), "a.yaml");
  const std::string inlined =
      R"({"verb": "serve", "scenario": "loadfactor: 1\nname: a\nserve: {model: llama-3.1-8b}\n"})";
  const auto text = question_from_json(inlined);
  ASSERT_TRUE(text) << render(text.error());
  EXPECT_EQ(std::get<ServeQuestion>(text->question).about.scenario.file(), "scenario");
}

}  // namespace
}  // namespace loadfactor

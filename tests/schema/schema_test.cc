// The schemas in data/schema describe what we ship, what we answer and what we refuse.
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/document.h"
#include "config/reading/testing/sound.h"
#include "engine/core.h"
#include "report/serve/fit_report.h"
#include "report/serve/serve_report.h"
#include "report/serve/simulate_report.h"
#include "tests/broken/broken_inputs.h"
#include "tests/schema/file_kind.h"
#include "tests/schema/json_schema.h"
#include "tests/schema/schema_walk.h"

namespace loadfactor::schema {
namespace {

std::filesystem::path source(std::string_view path) {
  return std::filesystem::path(LF_SOURCE_DIR) / path;
}

std::vector<std::string> schema_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source("data/schema"))) {
    const std::string file = entry.path().filename().string();
    constexpr std::string_view kSuffix = ".schema.json";
    EXPECT_TRUE(file.ends_with(kSuffix)) << file;
    names.push_back(file.substr(0, file.size() - kSuffix.size()));
  }
  return names;
}

TEST(SchemaTest, EverySchemaSaysWhatItIsAndExplainsEveryKey) {
  const auto names = schema_names();
  EXPECT_GE(names.size(), 10U);
  for (const std::string& name : names) {
    const JsonSchema schema = load_schema(name);
    EXPECT_EQ(schema.document().at("$schema"), "http://json-schema.org/draft-07/schema#") << name;
    EXPECT_FALSE(schema.document().at("title").get<std::string>().empty()) << name;
    EXPECT_FALSE(schema.document().at("description").get<std::string>().empty()) << name;
    for_each_property(schema.document(), [&](const std::string& key, const Json& part) {
      const Json& rule = schema.resolve(part);
      const bool explained =
          part.contains("description") || rule.contains("description") || rule.contains("title");
      EXPECT_TRUE(explained) << name << ": " << key;
    });
  }
}

TEST(SchemaTest, EveryKindOfFileHasASchemaAndEverySchemaAKind) {
  std::set<std::string> kinds{
      "catalog", "audit",    "calibrate",     "cost",          "demand",        "diff",
      "emit",    "explain",  "fill",          "fit",           "plan",          "probe",
      "sizing",  "read",     "scale",         "search",        "serve",         "simulate",
      "train",   "validate", "catalog-check", "catalog-entry", "catalog-nouns", "fleet",
      "observe", "sweep",    "fleet-file"};
  for (const FileKind& kind : file_kinds()) kinds.emplace(kind.schema);
  const auto names = schema_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()), kinds);
}

TEST(SchemaTest, EveryFileThatShipsIsReadAndAccepted) {
  for (const FileKind& kind : file_kinds()) {
    const JsonSchema schema = load_schema(std::string(kind.schema));
    const auto samples = shipped_files(kind);
    EXPECT_FALSE(samples.empty()) << kind.schema;
    for (const Sample& sample : samples) {
      EXPECT_EQ(schema.complaints(sample.tree), "") << sample.path;
      EXPECT_EQ(render(kind.read(sample.path, sample.text)), "") << sample.path;
      EXPECT_EQ(render(kind.read(sample.path, sample.tree.dump(1))), "") << sample.path;
    }
  }
}

TEST(SchemaTest, EveryYamlFileIsOfAKindThatHasASchema) {
  std::size_t known = 0;
  for (const FileKind& kind : file_kinds()) known += shipped_files(kind).size();
  std::size_t all = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source("data"))) {
    // Fleets and sweeps have tests of their own.
    const auto folder = entry.path().parent_path().filename();
    const bool has_reader_alone = folder == "fleet" || folder == "sweeps";
    all += entry.path().extension() == ".yaml" && !has_reader_alone ? 1U : 0U;
  }
  EXPECT_EQ(known, all);
}

TEST(SchemaTest, AScenarioMayUseEveryKeyOrLeaveItBlank) {
  const FileKind& kind = file_kinds().back();
  const JsonSchema schema = load_schema("scenario");
  for (const Sample& sample : odd_scenarios()) {
    EXPECT_EQ(schema.complaints(sample.tree), "") << sample.path;
    EXPECT_EQ(render(kind.read(sample.path, sample.text)), "") << sample.path;
  }
}

// What a schema does not see: sums over several keys, sizes behind a unit, keys and names that
// stand twice, names that must be found elsewhere, and what comes of following them.
bool is_beyond_a_schema(const broken::BrokenInput& input) {
  static const std::set<int> codes{
      lf::kNotDivisible,       lf::kSparsePeak,   lf::kBidirectionalBandwidth,
      lf::kAbsurdMagnitude,    lf::kBadEncoding,  lf::kInconsistentFigures,
      lf::kUnknownAccelerator, lf::kUnknownNode,  lf::kUnknownFabric,
      lf::kUnknownSource,      lf::kDuplicateKey, lf::kNameMismatch,
      lf::kUnknownEngine,      lf::kDuplicateName};
  static const std::set<std::string> names{"accelerator-unknown-stack.yaml",
                                           "model-dense-layer-without-mlp.yaml",
                                           "model-aliases-as-block.yaml",
                                           "model-pattern-of-unknown-kind.yaml",
                                           "schedule-without-pipeline.yaml",
                                           "rent-zero.yaml",
                                           "stages-of-dpo.yaml",
                                           "stages-with-examples.yaml",
                                           "amount-in-a-third-currency.yaml",
                                           "amount-in-an-undeclared-currency.yaml",
                                           "engine-like-itself.yaml",
                                           "engine-like-none.yaml",
                                           "engine-release-of-no-generation.yaml",
                                           "engine-variant-of-no-generation.yaml",
                                           "lora-targets-without-lora.yaml",
                                           "method-colocated-off-policy.yaml",
                                           "method-colocated-rollout-gpus.yaml",
                                           "method-full-with-lora.yaml",
                                           "method-group-of-one.yaml",
                                           "method-prompts-of-dpo.yaml",
                                           "method-reference-of-lora.yaml",
                                           "method-release-without-engine.yaml",
                                           "method-reward-of-full.yaml",
                                           "method-teacher-of-dpo.yaml",
                                           "method-teacher-of-grpo.yaml",
                                           "method-value-of-dpo.yaml",
                                           "method-value-of-grpo.yaml",
                                           "method-with-batch.yaml",
                                           "method-with-examples.yaml",
                                           "method-with-tokens.yaml",
                                           "method-without-answers.yaml",
                                           "method-without-prompts.yaml",
                                           "method-without-teacher.yaml"};
  return codes.contains(input.code) || names.contains(input.name);
}

TEST(SchemaTest, EveryScenarioThatIsBrokenInItsStructureIsRefused) {
  const JsonSchema schema = load_schema("scenario");
  std::size_t checked = 0;
  for (const auto& input : broken::load_broken_inputs(source("tests/broken/scenario"))) {
    const bool is_json = input.name.ends_with(".json");
    const auto document = is_json ? config::parse_json(input.name, input.text)
                                  : config::parse_yaml(input.name, input.text);
    if (!document || is_beyond_a_schema(input)) continue;
    EXPECT_FALSE(schema.accepts(to_json(document->root))) << input.name << " " << input.damage;
    ++checked;
  }
  EXPECT_GE(checked, 50U);
}

TEST(SchemaTest, EveryEntryThatIsBrokenInItsStructureIsRefused) {
  std::size_t checked = 0;
  for (const FileKind& kind : file_kinds()) {
    const JsonSchema schema = load_schema(std::string(kind.schema));
    for (const auto& input : broken::load_broken_inputs(source("tests/broken/catalog_yaml"))) {
      if (!input.name.starts_with(std::string(kind.schema) + "-")) continue;
      const auto document = config::parse_yaml(input.name, input.text);
      if (!document || is_beyond_a_schema(input)) continue;
      EXPECT_FALSE(schema.accepts(to_json(document->root))) << input.name << " " << input.damage;
      ++checked;
    }
  }
  EXPECT_GE(checked, 40U);
}

struct QuantityRow {
  std::string_view definition;
  Dimension dimension;
  double low;  // In base units.
  double high;
};
constexpr std::array kQuantities{
    QuantityRow{"bytes", {.data = 1}, 1, 1e18},
    QuantityRow{"bytes_per_second", {.time = -1, .data = 1}, 1e6, 1e18},
    QuantityRow{"flops_per_second", {.time = -1, .work = 1}, 1e9, 1e21},
    QuantityRow{"watts", {.time = -1, .energy = 1}, 1, 1e10},
    QuantityRow{"hertz", {.time = -1}, 1e6, 1e11},
    QuantityRow{"seconds", {.time = 1}, 1e-9, 1e9},
    QuantityRow{"dollars", {.money = 1}, 0.01, 1e12},
};

TEST(SchemaTest, AQuantityIsAcceptedAsWePrintIt) {
  std::size_t checked = 0;
  for (const std::string& name : schema_names()) {
    const JsonSchema schema = load_schema(name);
    const Json definitions = schema.document().value("definitions", Json::object());
    for (const QuantityRow& row : kQuantities) {
      const auto found = definitions.find(row.definition);
      if (found == definitions.end()) continue;
      const std::regex pattern(found->at("pattern").get<std::string>());
      for (double value = row.low; value <= row.high; value *= 7) {
        const std::string exact = format_exact({value, row.dimension});
        const std::string shown = format_display({value, row.dimension});
        EXPECT_TRUE(std::regex_match(exact, pattern)) << name << ": " << exact;
        EXPECT_TRUE(std::regex_match(shown, pattern)) << name << ": " << shown;
      }
      for (const Json& example : found->at("examples")) {
        const auto text = example.get<std::string>();
        EXPECT_TRUE(std::regex_match(text, pattern)) << name << ": " << text;
        EXPECT_TRUE(parse_quantity(text, row.dimension).has_value()) << name << ": " << text;
      }
      ++checked;
    }
  }
  EXPECT_GE(checked, kQuantities.size());
}

class FitSchemaTest : public ::testing::Test {
 protected:
  FitSchemaTest() : engine_(engine::Core::create({}, diagnostics_)), schema_(load_schema("fit")) {}

  Json answer(const FitInputs& request) const {
    const auto answered = engine_->fit(request);
    EXPECT_TRUE(answered.has_value()) << render(answered.error());
    return answered ? Json::parse(report::fit_json(*answered, request)) : Json();
  }

  Diagnostics diagnostics_;
  std::unique_ptr<engine::Core> engine_;
  JsonSchema schema_;
};

TEST_F(FitSchemaTest, EveryAnswerKeepsTheContract) {
  const std::vector<FitInputs> requests{
      {.model = "llama-3.1-8b"},
      {.model = "meta-llama/Llama-3.3-70B-Instruct", .accelerator = "h200-sxm", .tp = 2},
      {.model = "deepseek-v3", .accelerator = "h200-sxm", .tp = 8},
      {.model = "llama-3.1-405b", .accelerator = "l4", .tp = 1},  // Does not fit.
      {.model = "mixtral-8x7b",
       .accelerator = "mi300x",
       .tp = 1,
       .pp = 2,
       .quantisation = "fp8",
       .kv_dtype = "fp8",
       .context = 8192,
       .engine = "sglang"},
      {.model = "qwen3.5-397b-a17b", .accelerator = "b200", .tp = 8},  // Linear attention, MTP.
  };
  for (const FitInputs& request : requests)
    EXPECT_EQ(schema_.complaints(answer(request)), "") << request.model;
}

TEST_F(FitSchemaTest, EveryKeyOfAnAnswerIsPromised) {
  const Json whole = answer({.model = "llama-3.1-8b", .accelerator = "h100-sxm", .tp = 1});
  for (const Path& path : member_paths(schema_, whole)) {
    Json tree = whole;
    tree[path.parent_pointer()].erase(path.back());
    const bool was_asked = path.parent_pointer() == Path("/scenario");
    const bool is_optional = was_asked && path.back() != "model";
    EXPECT_EQ(schema_.accepts(tree), is_optional) << path.to_string();
    tree = whole;
    tree[path] = nullptr;
    EXPECT_FALSE(schema_.accepts(tree)) << path.to_string() << " is null";
  }
  for (const ClosedMap& map : closed_maps(schema_, whole)) {
    Json tree = whole;
    tree[map.path]["surprise"] = 1;
    EXPECT_FALSE(schema_.accepts(tree)) << map.path.to_string();
  }
}

TEST(SimulateSchemaTest, EveryAnswerKeepsTheContract) {
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  const JsonSchema schema = load_schema("simulate");
  const std::string head = "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n";
  const std::string demand = "  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n";
  for (const std::string& rest :
       {std::string("hardware: [h100-sxm]\n"),
        std::string("  slo: {ttft_p95: 1 s, tpot_p95: 50 ms, e2e_p95: 60 s}\n"
                    "  deployment: {gpu: h100-sxm, replicas: 2, engine: sglang}\n"),
        std::string("  deployment: {gpu: h100-sxm, replicas: 2}\n"
                    "  others:\n"
                    "    - {model: llama-2-7b, deployment: {gpu: h100-sxm},\n"
                    "       demand: {requests_per_second: 1, tokens_in: 90, tokens_out: 9}}\n")}) {
    SimulateInputs request{.scenario = config::testing::sound(head + demand + rest)};
    request.requests = 300;
    const auto answer = engine->simulate(request, diagnostics);
    ASSERT_TRUE(answer.has_value()) << render(diagnostics);
    for (const bool reproducible : {false, true}) {
      const Json json = Json::parse(report::simulate_json(*answer, "chat.yaml", reproducible));
      EXPECT_EQ(schema.complaints(json), "");
    }
  }
}

TEST(ServeSchemaTest, EveryAnswerKeepsTheContract) {
  Diagnostics diagnostics;
  const auto engine = engine::Core::create({}, diagnostics);
  const JsonSchema schema = load_schema("serve");
  const std::string head = "loadfactor: 1\nname: chat\nserve:\n  model: llama-3.1-8b\n";
  const std::string demand = "  demand: {requests_per_second: 4, tokens_in: 500, tokens_out: 50}\n";
  for (const std::string& rest :
       {std::string("hardware: [h100-sxm]\n"), demand + "hardware: [h100-sxm]\n",
        demand + "  deployment: {gpu: l4, replicas: 1, engine: sglang}\n"}) {
    ServeInputs request{.scenario = config::testing::sound(head + rest)};
    request.batches = {1, 64};
    const auto answer = engine->serve(request, diagnostics);
    ASSERT_TRUE(answer.has_value()) << render(diagnostics);
    EXPECT_EQ(schema.complaints(Json::parse(report::serve_json(*answer, "chat.yaml"))), "");
  }
}

}  // namespace
}  // namespace loadfactor::schema

// The answers of `audit`, `diff` and `explain` keep the contracts their schemas publish, and every
// node of a tree can be computed again from its children.
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/reading/testing/sound.h"
#include "engine/audit/audit.h"
#include "engine/explain/diff.h"
#include "engine/explain/explain.h"
#include "engine/plan/plan_figures.h"
#include "report/audit/audit_report.h"
#include "report/catalog_entry.h"
#include "report/catalog_report.h"
#include "report/explain/explanation.h"
#include "report/plan/diff_report.h"
#include "report/plan/plan_report.h"
#include "tests/schema/json_schema.h"

namespace loadfactor::schema {
namespace {

std::string shipped(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(std::string(LF_SOURCE_DIR) + "/data/scenarios/" + name).rdbuf();
  return text.str();
}

class FrontAnswers : public ::testing::Test {
 protected:
  static const engine::Core& engine() {
    static const auto kEngine = [] {
      Diagnostics diagnostics;
      return engine::Core::create({}, diagnostics);
    }();
    return *kEngine;
  }
  static engine::PlanInputs question(const std::string& name,
                                     const std::vector<std::string>& set = {}) {
    engine::PlanInputs asked;
    asked.serving.scenario = config::testing::sound(shipped(name), set, name);
    asked.today = "2026-11-15";
    asked.draws = 64;
    asked.confirm = 0;
    return asked;
  }
  static engine::PlanAnswer plan(const engine::PlanInputs& asked) {
    Diagnostics diagnostics;
    auto answer = engine::make_plan(engine(), asked, diagnostics);
    EXPECT_TRUE(answer) << render(diagnostics);
    return answer.value_or(engine::PlanAnswer());
  }
};

TEST_F(FrontAnswers, EveryListOfTheCatalogueIsWithinItsContract) {
  const JsonSchema schema = load_schema("catalog");
  for (const std::string& noun : report::catalog_nouns()) {
    const auto answer = report::find_entries(engine().catalog(), noun, "");
    ASSERT_TRUE(answer) << noun;
    Json json = Json::parse(report::catalog_json(*answer));
    EXPECT_EQ(schema.complaints(json), "") << noun;
    json.at("answer").at(noun).at(0)["surprise"] = 1;
    EXPECT_FALSE(schema.accepts(json)) << noun;
  }
}

TEST_F(FrontAnswers, AnEntryACheckAndTheOverviewAreWithinTheirContracts) {
  const auto& catalog = engine().catalog();
  for (const char* path : {"hardware/accelerators/h100-sxm.yaml", "engines/vllm.yaml"}) {
    const auto* file = catalog.find_file(path);
    ASSERT_NE(file, nullptr) << path;
    Json entry = Json::parse(report::entry_json(
        {"x", "x", "gpus", file->shown_as, file->text, *catalog::stated_facts(*file)}));
    EXPECT_EQ(load_schema("catalog-entry").complaints(entry), "") << path;
    entry["answer"]["facts"][0].erase("source");
    EXPECT_FALSE(load_schema("catalog-entry").accepts(entry)) << path;
  }
  Json sound = Json::parse(report::sound_json(report::sound_catalog(catalog, "2026-11-15")));
  EXPECT_EQ(load_schema("catalog-check").complaints(sound), "");
  sound["answer"]["lists"][0]["known"] = "many";
  EXPECT_FALSE(load_schema("catalog-check").accepts(sound));
  Json nouns = Json::parse(report::nouns_json({report::noun_meanings()}));
  EXPECT_EQ(load_schema("catalog-nouns").complaints(nouns), "");
  nouns["answer"].erase("lists");
  EXPECT_FALSE(load_schema("catalog-nouns").accepts(nouns));
}

TEST_F(FrontAnswers, AnAuditIsWithinItsContract) {
  const JsonSchema schema = load_schema("audit");
  const std::string name = "audits/500b-1200-h100.yaml";
  Diagnostics diagnostics;
  const auto answer =
      engine::audit_claims(engine(), {.file = name, .text = shipped(name)}, diagnostics);
  ASSERT_TRUE(answer) << render(diagnostics);
  Json json = Json::parse(report::audit_json(*answer, name));
  EXPECT_EQ(schema.complaints(json), "");
  json["answer"]["findings"][0].erase("sum");
  EXPECT_FALSE(schema.accepts(json));
}

TEST_F(FrontAnswers, ADiffIsWithinItsContractAndSavedPlansCompareAlike) {
  const JsonSchema schema = load_schema("diff");
  const auto before = plan(question("finetune-8b.yaml"));
  const auto after = plan(question("finetune-8b.yaml", {"train.tokens=1 B"}));
  const auto direct = engine::compare_plans(before, after, engine().catalog());
  const Json json = Json::parse(report::diff_json(direct, {"a.yaml", "b.yaml"}));
  EXPECT_EQ(schema.complaints(json), "");
  ASSERT_EQ(direct.inputs.size(), 1U);
  EXPECT_EQ(direct.inputs[0].what, "train.tokens");
  EXPECT_EQ(direct.inputs[0].before, "500 M");
  // Twice the tokens are twice the money.
  ASSERT_EQ(direct.figures[0].figure, engine::PlanFigure::kCost);
  EXPECT_NEAR(direct.figures[0].after->value / direct.figures[0].before->value, 2.0, 0.05);
  const auto saved = [](const engine::PlanAnswer& answer) {
    auto read = engine::read_saved_plan("p.json", report::plan_json(answer, "x.yaml", ""));
    EXPECT_TRUE(read) << (read ? std::string() : render(read.error()));
    return *std::move(read);
  };
  const auto again = engine::compare_plans(saved(before), saved(after), engine().catalog());
  // The sentence too is made of what a saved plan keeps.
  const auto sentence = [](const engine::DiffAnswer& answer) {
    const Json shown = Json::parse(report::diff_json(answer, {"a.yaml", "b.yaml"}));
    return shown["answer"]["sentence"].get<std::string>();
  };
  EXPECT_EQ(sentence(again), sentence(direct));
  EXPECT_EQ(again.inputs.size(), direct.inputs.size());
  ASSERT_EQ(again.figures.size(), direct.figures.size());
  for (std::size_t i = 0; i < again.figures.size(); ++i)
    EXPECT_DOUBLE_EQ(again.figures[i].after->value, direct.figures[i].after->value) << i;
}

TEST_F(FrontAnswers, ACommentBeginsWithATagThatOnlyDependsOnTheScenario) {
  const auto one = plan(question("finetune-8b.yaml"));
  const auto two = plan(question("finetune-8b.yaml", {"train.tokens=1 B"}));
  const std::string first =
      report::diff_comment(engine::compare_plans(one, two, engine().catalog()));
  const std::string second =
      report::diff_comment(engine::compare_plans(two, one, engine().catalog()));
  EXPECT_TRUE(first.starts_with("<!-- loadfactor:finetune-8b -->\n"));
  EXPECT_EQ(first.substr(0, first.find('\n')), second.substr(0, second.find('\n')));
  EXPECT_NE(first, second);
}

double again(const Json& node) {
  const std::string op = node["op"];
  if (op == "leaf") return node["value"];
  double value = again(node["children"][0]);
  for (std::size_t i = 1; i < node["children"].size(); ++i) {
    const double next = again(node["children"][i]);
    if (op == "sum") value += next;
    if (op == "difference") value -= next;
    if (op == "product") value *= next;
    if (op == "quotient") value /= next;
    if (op == "power") value = std::pow(value, next);
  }
  if (op == "ceil") return std::ceil(value);  // A choice is its first child.
  return op == "floor" ? std::floor(value) : value;
}

// A file with a line, or ids of SOURCES.md.
bool names_a_source(const std::string& source, const std::string& ids) {
  if (std::regex_search(source, std::regex("\\.(yaml|csv|json):[0-9]+$"))) return true;
  std::stringstream words(std::regex_replace(source, std::regex("[;,]"), " "));
  std::string id;
  bool any = false;
  while (words >> id) {
    any = true;
    if (ids.find("| " + id + " |") == std::string::npos) return false;
  }
  return any;
}

void check(const Json& node, const std::string& ids, const std::string& what) {
  EXPECT_NEAR(again(node), node["value"], 1e-9 * std::abs(node["value"].get<double>()) + 1e-300)
      << what << ": " << node["name"];
  const bool leaf = node["op"] == "leaf";
  EXPECT_EQ(leaf, node["children"].empty()) << what;
  if (leaf) {
    EXPECT_TRUE(names_a_source(node["source"], ids))
        << what << ": " << node["name"] << " from '" << node["source"] << "'";
  }
  for (const auto& child : node["children"]) check(child, ids, what);
}

// What the answer itself says.
std::map<std::string, double> figures_of(const engine::PlanAnswer& answer) {
  std::map<std::string, double> figures;
  const auto figure = [&](const char* name, engine::PlanFigure which) {
    if (const auto value = engine::figure_of(answer, which)) figures[name] = value->value;
  };
  // One meaning, whoever asks.
  figure("cost", engine::PlanFigure::kCost);
  figure("per_mtoken", engine::PlanFigure::kPerMtoken);
  figure("break_even", engine::PlanFigure::kBreakEven);
  figure("gpus", engine::PlanFigure::kGpus);
  figures["tokens_per_month"] = answer.cost->tokens_per_month->base();
  if (answer.fill) {
    figures["load_factor"] = answer.load_factor->value();
    figures["full_plane"] = answer.full_plane.base();
    for (const auto& option : answer.options)
      if (option.cost.kind == OptionKind::kApi) figures["api_cost"] = option.amount.base();
  }
  if (answer.training) {
    figures["step_time"] = answer.training->step_time.value().base();
    figures["tokens_per_s"] = answer.training->tokens_per_s.value().base();
    figures["goodput"] = answer.training->goodput->value.value();
    figures["duration"] = answer.duration->value().base();
    figures["run_cost"] = answer.options[0].amount.base();
  }
  return figures;
}

TEST_F(FrontAnswers, EveryNodeOfATreeFollowsFromItsChildrenAndEveryLeafHasASource) {
  std::stringstream ids;
  ids << std::ifstream(std::string(LF_SOURCE_DIR) + "/data/SOURCES.md").rdbuf();
  const JsonSchema schema = load_schema("explain");
  int trees = 0;
  for (const std::string name :
       {"batch-inference.yaml", "coding-assistant.yaml", "finetune-8b.yaml"}) {
    const auto asked = question(name);
    const auto answer = plan(asked);
    const auto figures = figures_of(answer);
    for (const auto& quantity : engine::explainable(answer)) {
      const auto tree = engine::explain_quantity(engine(), asked, answer, quantity);
      ASSERT_TRUE(tree) << name << ": " << quantity;
      const Json json = Json::parse(report::explain_json(*tree, {quantity, "x", name}));
      EXPECT_EQ(schema.complaints(json), "") << quantity;
      check(json["answer"]["tree"], ids.str(), name + " " + quantity);
      const auto said = figures.find(quantity);
      if (said != figures.end()) {
        EXPECT_NEAR(json["answer"]["tree"]["value"], said->second, 1e-6 * said->second)
            << name << ": " << quantity;
      }
      EXPECT_FALSE(report::explain_tree(*tree).empty());
      ++trees;
    }
  }
  EXPECT_GE(trees, 16);
}

}  // namespace
}  // namespace loadfactor::schema

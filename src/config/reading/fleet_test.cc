#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/error_codes.h"
#include "config/reading/fleet_reader.h"

namespace loadfactor::config {
namespace {

constexpr const char* kHead = "loadfactor: 1\nname: f\n";
constexpr const char* kPool = "pools:\n- {name: main, accelerator: h100-sxm}\n";
constexpr const char* kServe =
    "  serve: {model: llama-3.1-8b, demand: {requests_per_day: 1 M, tokens_in: 100, tokens_out: "
    "10}}\n";
constexpr const char* kTrain = "  train: {model: llama-3.1-8b, tokens: 1 B}\n";
constexpr const char* kBatch =
    "  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 100, tokens_out: 10}\n";

// A fleet of one workload, with these lines in it. Lines 1 to 5 are the head, the pool and the key;
// the workload begins in line 6.
std::string fleet_of(const std::string& lines) {
  return std::string(kHead) + kPool + "workloads:\n- name: w\n" + lines;
}

TEST(FleetReaderTest, EveryKindOfWorkIsRead) {
  Diagnostics diagnostics;
  const auto fleet = parse_fleet(
      "f.yaml",
      std::string(kHead) + kPool + "money: {options: [own, on-demand]}\nworkloads:\n- name: a\n" +
          kServe + "- name: b\n" + kBatch + "  deadline: 8 h\n- name: c\n" + kTrain +
          "  gpus: 8\n- name: d\n  fine_tune: {model: llama-3.1-8b, tokens: 1 B}\n  value: 500 "
          "USD\n"
          "- name: e\n  reserved: {gpus: 4}\n- name: g\n  scenario: chat.yaml\n",
      {}, diagnostics);
  ASSERT_TRUE(fleet) << diagnostics.errors().front().message;
  ASSERT_EQ(fleet->workloads.size(), 6U);
  EXPECT_EQ(fleet->workloads[0].kind, WorkloadKind::kOnline);
  EXPECT_EQ(fleet->workloads[1].kind, WorkloadKind::kBatch);
  EXPECT_NEAR(fleet->workloads[1].scenario->serve->demand->requests->value.base(), 1000 / 28800.0,
              1e-12);
  EXPECT_EQ(fleet->workloads[2].kind, WorkloadKind::kTraining);
  EXPECT_EQ(fleet->workloads[3].kind, WorkloadKind::kFineTuning);
  EXPECT_EQ(fleet->workloads[3].worth->value.base(), 500);
  EXPECT_EQ(fleet->workloads[4].gpus->value, 4);
  EXPECT_EQ(fleet->workloads[0].scenario->money.options.size(), 2U);
  ASSERT_EQ(files_of(*fleet).size(), 1U);
  EXPECT_TRUE(files_of(*fleet)[0].is_scenario);
}

struct Broken {
  const char* what;
  std::string text;
  int code;
  std::uint32_t line;
};

std::vector<Broken> broken_fleets() {
  const std::string serve = kServe, train = kTrain, batch = kBatch, pool = kPool, head = kHead;
  const std::string work = "workloads:\n- name: w\n" + serve;
  return {
      {"empty", "", lf::kEmptyFile, 1},
      {"a list", "- 1\n", lf::kWrongType, 1},
      {"no syntax", "loadfactor: [1\n", lf::kSyntax, 1},
      {"no version", "name: f\n" + pool + work, lf::kWrongSchema, 1},
      {"another version", "loadfactor: 9\nname: f\n" + pool + work, lf::kWrongSchema, 1},
      {"no name", "loadfactor: 1\n" + pool + work, lf::kMissingKey, 1},
      {"no pools", head + work, lf::kMissingKey, 1},
      {"empty pools", head + "pools: []\n" + work, lf::kMissingKey, 3},
      {"no workloads", head + pool, lf::kMissingKey, 1},
      {"empty workloads", head + pool + "workloads: []\n", lf::kMissingKey, 5},
      {"a slip in a key", head + "poolz: []\n" + pool + work, lf::kUnknownKey, 3},
      {"a key twice", head + pool + "name: g\n" + work, lf::kDuplicateKey, 5},
      {"an unknown horizon", head + "horizon: month\n" + pool + work, lf::kUnknownWord, 3},
      {"a pool without a name", head + "pools:\n- {accelerator: h100-sxm}\n" + work,
       lf::kMissingKey, 4},
      {"a pool without a chip", head + "pools:\n- {name: main}\n" + work, lf::kMissingKey, 4},
      {"a pool of no GPUs",
       head + "pools:\n- {name: main, accelerator: h100-sxm, gpus: 0}\n" + work, lf::kOutOfRange,
       4},
      {"a pool of part of a GPU",
       head + "pools:\n- {name: main, accelerator: h100-sxm, gpus: 1.5}\n" + work, lf::kWrongType,
       4},
      {"a slip in a pool", head + "pools:\n- {name: main, acelerator: h100-sxm}\n" + work,
       lf::kMissingKey, 4},
      {"pools of one name", head + pool + "- {name: main, accelerator: h200-sxm}\n" + work,
       lf::kDuplicateName, 5},
      {"shared is no word",
       head + "pools:\n- {name: m, accelerator: h100-sxm, shared: maybe}\n" + work, lf::kWrongType,
       4},
      {"nothing to do", fleet_of("  priority: 1\n"), lf::kMissingKey, 6},
      {"two works", fleet_of(serve + batch), lf::kContradictoryKeys, 8},
      {"work and file", fleet_of(serve + "  scenario: a.yaml\n"), lf::kContradictoryKeys, 8},
      {"workloads of one name", fleet_of(serve) + "- name: w\n" + serve, lf::kDuplicateName, 8},
      {"a pool that is not there", fleet_of(serve + "  pools: [man]\n"), lf::kUnknownWord, 8},
      {"a deadline of a service", fleet_of(serve + "  deadline: 8 h\n"), lf::kContradictoryKeys, 8},
      {"preemptible service", fleet_of(serve + "  preemptible: true\n"), lf::kContradictoryKeys, 8},
      {"deadline before start", fleet_of(batch + "  earliest: 8 h\n  deadline: 4 h\n"),
       lf::kInconsistentFigures, 9},
      {"start after the batch has come again",
       fleet_of("  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 100, tokens_out: 10, "
                "every: 1 day}\n  earliest: 30 h\n"),
       lf::kInconsistentFigures, 8},
      {"deadline without unit", fleet_of(batch + "  deadline: 8\n"), lf::kMissingUnit, 8},
      {"deadline in bytes", fleet_of(batch + "  deadline: 8 GB\n"), lf::kWrongUnit, 8},
      {"deadline beyond the week", "horizon: week\n" + fleet_of(batch + "  deadline: 9 days\n"),
       lf::kInconsistentFigures, 9},
      {"deadline beyond a year", fleet_of(batch + "  deadline: 2 years\n"), lf::kAbsurdMagnitude,
       8},
      {"earliest below zero", fleet_of(batch + "  earliest: -1 h\n"), lf::kOutOfRange, 8},
      {"priority above", fleet_of(serve + "  priority: 101\n"), lf::kOutOfRange, 8},
      {"priority in words", fleet_of(serve + "  priority: high\n"), lf::kNotANumber, 8},
      {"value without currency", fleet_of(serve + "  value: 500\n"), lf::kNoCurrency, 8},
      {"value is not finite", fleet_of(serve + "  value: .inf USD/month\n"), lf::kNotFinite, 8},
      {"api is no word", fleet_of(serve + "  api: perhaps\n"), lf::kWrongType, 8},
      {"items missing",
       fleet_of("  batch: {model: llama-3.1-8b, tokens_in: 1 K, tokens_out: 10}\n"),
       lf::kMissingKey, 7},
      {"items below one",
       fleet_of("  batch: {model: llama-3.1-8b, items: 0, tokens_in: 1 K, tokens_out: 10}\n"),
       lf::kOutOfRange, 7},
      {"batch without lengths", fleet_of("  batch: {model: llama-3.1-8b, items: 1 K}\n"),
       lf::kMissingKey, 7},
      {"batch with an SLO",
       fleet_of(
           "  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 100, tokens_out: 10, slo: {}}\n"),
       lf::kUnknownKey, 7},
      {"a deadline inside a batch",
       fleet_of("  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 9, tokens_out: 9, deadline: "
                "8 h}\n"),
       lf::kUnknownKey, 7},
      {"regions of a batch",
       fleet_of("  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 9, tokens_out: 9, regions: "
                "[{name: germany, share: 1}]}\n"),
       lf::kUnknownKey, 7},
      {"a pool in two regions",
       head + "pools:\n- {name: m, accelerator: h100-sxm, region: [germany, japan]}\n" + work,
       lf::kWrongType, 4},
      {"batch every hour",
       fleet_of(
           "  batch: {model: llama-3.1-8b, items: 1 K, tokens_in: 9, tokens_out: 9, every: 1 h}\n"),
       lf::kOutOfRange, 7},
      {"batch is a word", fleet_of("  batch: nightly\n"), lf::kWrongType, 7},
      {"serve is a word", fleet_of("  serve: chat\n"), lf::kWrongType, 7},
      {"service without a model", fleet_of("  serve: {precision: fp8}\n"), lf::kMissingKey, 7},
      {"run without tokens", fleet_of("  train: {model: llama-3.1-8b}\n"), lf::kMissingKey, 7},
      {"run with a deadline inside",
       fleet_of("  train: {model: llama-3.1-8b, tokens: 1 B, deadline: 3 days}\n"),
       lf::kContradictoryKeys, 7},
      {"run on no GPUs", fleet_of(train + "  gpus: 0\n"), lf::kOutOfRange, 8},
      {"run on more GPUs than there are",
       head + "pools:\n- {name: main, accelerator: h100-sxm, gpus: 16}\nworkloads:\n- name: w\n" +
           train + "  gpus: 64\n",
       lf::kContradictoryKeys, 8},
      {"reserved beyond the only pool it may use",
       head + "pools:\n- {name: main, accelerator: h100-sxm}\n"
              "- {name: old, accelerator: a100-sxm, gpus: 8}\nworkloads:\n- name: w\n"
              "  pools: [old]\n  reserved: {gpus: 16}\n",
       lf::kContradictoryKeys, 9},
      {"nothing reserved", fleet_of("  reserved: {}\n"), lf::kMissingKey, 7},
      {"reserved twice", fleet_of("  reserved: {gpus: 4, jobs: a.csv}\n"), lf::kContradictoryKeys,
       7},
      {"slip in reserved", fleet_of("  reserved: {gpu: 4}\n"), lf::kMissingKey, 7},
      {"money with a slip", head + pool + "money: {optoins: [own]}\n" + work, lf::kUnknownKey, 5},
  };
}

TEST(FleetReaderTest, BrokenFleetsAreRefusedAtTheirLine) {
  const auto all = broken_fleets();
  EXPECT_GE(all.size(), 40U);
  for (const Broken& each : all) {
    Diagnostics diagnostics;
    EXPECT_FALSE(parse_fleet("f.yaml", each.text, {}, diagnostics)) << each.what;
    ASSERT_FALSE(diagnostics.empty()) << each.what;
    bool is_found = false;
    std::string seen;
    for (const Error& error : diagnostics.errors()) {
      is_found = is_found || (error.code == each.code && error.where.line == each.line);
      seen += "LF" + std::to_string(error.code) + " in line " + std::to_string(error.where.line) +
              ": " + error.message + "; ";
    }
    EXPECT_TRUE(is_found) << each.what << " gave " << seen;
  }
}

TEST(FleetReaderTest, AnErrorFoundAfterReadingPointsAtItsLine) {
  Diagnostics diagnostics;
  const auto fleet = parse_fleet("f.yaml", fleet_of(kBatch), {}, diagnostics);
  ASSERT_TRUE(fleet);
  const FleetWorkload& workload = fleet->workloads.front();
  const Error error = fleet->error(lf::kNoPlan, workload.name.position, "it does not end", "less");
  EXPECT_EQ(error.where.file, "f.yaml");
  EXPECT_EQ(error.where.line, 6U);
  EXPECT_NE(error.source_line.find("name: w"), std::string::npos) << error.source_line;
}

TEST(FleetReaderTest, EveryFleetThatShipsIsRead) {
  int fleets = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(LF_SOURCE_DIR "/data/scenarios/fleet")) {
    if (entry.path().extension() != ".yaml") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    Diagnostics diagnostics;
    EXPECT_TRUE(parse_fleet(entry.path().string(), text.str(), {}, diagnostics)) << entry.path();
    ++fleets;
  }
  EXPECT_GE(fleets, 12);
}

}  // namespace
}  // namespace loadfactor::config

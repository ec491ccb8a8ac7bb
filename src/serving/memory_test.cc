#include "serving/memory.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/csv.h"
#include "serving/testing/serving_fixture.h"

namespace loadfactor::serving {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

ServingSetup setup_of(const std::string& model, const std::string& chip, const std::string& engine,
                      const std::string& recipe = "bf16") {
  ServingSetup setup;
  setup.model = *shipped().catalog.find_model(model);
  setup.chip = *shipped().catalog.find_accelerator(chip);
  setup.engine = *shipped().catalog.find_engine(engine);
  setup.recipe = workload::find_weight_recipe(recipe);
  setup.kv.kv = catalog::Dtype::kBf16;
  setup.memory_fraction = setup.engine->memory.fraction;
  setup.batched_tokens = setup.engine->batching.batched_tokens;
  setup.max_sequences = setup.engine->batching.max_sequences;
  return setup;
}

double kv_gib(const ServingSetup& setup, const workload::Sharding& sharding) {
  return divide_memory(setup, sharding).stages.front().kv.value / Bytes::from_base(kGib);
}

TEST(MemoryTest, SamplingMoreSequencesLeavesLessForKeys) {
  ServingSetup setup = setup_of("llama-3.1-8b", "h100-sxm", "vllm");
  const double many = kv_gib(setup, {});
  setup.max_sequences = 512;
  // 512 fewer rows of 128,256 logits at 38 bytes each.
  EXPECT_NEAR(kv_gib(setup, {}) - many, 512.0 * 128256 * 38 / kGib, 1e-6);
}

TEST(MemoryTest, LinksTakeMoreBuffersThanABusAndThreePeersAreTheMost) {
  const auto overhead = [](const char* chip, int tp) {
    const auto setup = setup_of("llama-3.1-8b", chip, "vllm");
    return divide_memory(setup, {.tp = tp}).stages.front().overhead.value / Bytes::from_base(kGib);
  };
  EXPECT_NEAR(overhead("rtx-4090", 2) - overhead("rtx-4090", 1), 0.25, 1e-9);
  EXPECT_NEAR(overhead("h100-sxm", 2) - overhead("h100-sxm", 1), 0.7, 1e-9);
  EXPECT_DOUBLE_EQ(overhead("h100-sxm", 8), overhead("h100-sxm", 4));
}

TEST(MemoryTest, AContextThatTheEngineDoesNotSeeIsNotTakenFromItsFraction) {
  const ServingSetup setup = setup_of("llama-3.1-8b", "h100-sxm", "vllm");
  catalog::EngineSpec seen = *setup.engine;
  seen.overhead.context_in_fraction = true;
  ServingSetup other = setup;
  other.engine = &seen;
  EXPECT_NEAR(kv_gib(setup, {}) - kv_gib(other, {}), seen.overhead.context / Bytes::from_base(kGib),
              1e-9);
}

std::string read_file(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Our own few lines, and the published ones where they lie beside the project.
std::vector<std::string> all_facts() {
  const std::string root = LF_SOURCE_DIR;
  std::vector<std::string> texts{read_file(root + "/tests/data/memory_facts.csv")};
  for (const char* place : {"/../shared/data/", "/../../shared/data/"}) {
    const std::filesystem::path path = root + place + "inference/memory_facts.csv";
    if (!std::filesystem::exists(path)) continue;
    texts.push_back(read_file(path));
    break;
  }
  return texts;
}

struct Fact {
  std::map<std::string, std::string> cells;
  const std::string& at(const char* column) const { return cells.at(column); }
  bool says(const char* column, const char* words) const {
    return at(column).find(words) != std::string::npos;
  }
};

// The catalogue's word for the release that wrote the line.
std::string engine_of(const Fact& fact) {
  if (fact.says("engine", "SGLang")) return "sglang";
  if (fact.says("engine", "V1 2025-01")) return "vllm-0.7";
  return fact.says("engine", "2025-07") ? "vllm" : "vllm-v0";
}

std::string recipe_of(const Fact& fact) {
  if (fact.says("notes", "keeps some layers bf16")) return "fp8-feed-forward";
  if (fact.says("precision", "int8")) return "int8";
  return fact.at("precision");
}

// How the notes say that an engine was started for steps smaller than its own.
constexpr const char* kSmallStep = "as started: chunk 2048, max_seqs 256";

double off_percent(const Fact& fact) {
  const std::string chip = fact.says("accelerator", "4090") ? "rtx-4090" : "h100-sxm";
  ServingSetup setup = setup_of(fact.at("model"), chip, engine_of(fact), recipe_of(fact));
  if (!fact.at("gpu_mem_fraction").empty())
    setup.memory_fraction = std::atof(fact.at("gpu_mem_fraction").c_str());
  if (fact.says("notes", kSmallStep)) {
    setup.batched_tokens = 2048;
    setup.max_sequences = 256;
  }
  // The line of a rank that does not sample: its step holds no logits.
  if (fact.says("quantity", "kv_bytes") && engine_of(fact) == "vllm-v0") setup.max_sequences = 0;
  const auto memory = divide_memory(setup, {.tp = std::atoi(fact.at("tp").c_str())});
  const auto& gpu = memory.stages.front();
  double ours = gpu.kv.value / Bytes::from_base(kGib);
  if (fact.says("quantity", "weights")) ours = gpu.weights.total() / Bytes::from_base(kGib);
  if (fact.says("quantity", "kv_tokens"))
    ours = static_cast<double>(count_kv_tokens(setup, memory));
  return 100 * (ours / std::atof(fact.at("value").c_str()) - 1);
}

void check_facts(const std::string& text) {
  Diagnostics diagnostics;
  const auto table = config::parse_csv("memory_facts.csv", text, diagnostics);
  ASSERT_TRUE(table.has_value()) << render(diagnostics);
  std::vector<double> keys;
  for (const auto& row : table->rows) {
    Fact fact;
    for (const char* column : {"model", "precision", "accelerator", "tp", "engine",
                               "gpu_mem_fraction", "quantity", "value", "notes"})
      fact.cells[column] = row[*table->column(column)].text;
    const double off = off_percent(fact);
    SCOPED_TRACE(fact.at("model") + " " + fact.at("engine") + " " + fact.at("quantity"));
    ::testing::Test::RecordProperty(
        fact.at("model") + " " + fact.at("engine") + " " + fact.at("quantity"),
        std::to_string(off));
    if (fact.says("quantity", "weights")) {
      EXPECT_LE(std::abs(off), 3);
    } else {
      EXPECT_LE(std::abs(off), 12);
      keys.push_back(std::abs(off));
    }
  }
  ASSERT_FALSE(keys.empty());
  std::sort(keys.begin(), keys.end());
  EXPECT_LE(keys[keys.size() / 2], 5);
}

TEST(MemoryFactsTest, LogLinesAreMet) {
  for (const std::string& text : all_facts()) check_facts(text);
}

}  // namespace
}  // namespace loadfactor::serving

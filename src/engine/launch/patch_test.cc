// The law of patches: applied to what runs, a patch gives the flags of the advice, whether what
// runs has the flags that nobody said or not.
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/reading/scenario_reader.h"
#include "engine/core.h"
#include "engine/launch/launch_plan.h"
#include "engine/testing/shipped_core.h"
#include "launch/emit/emission.h"
#include "launch/emit/flag_patch.h"

namespace loadfactor::engine {
namespace {

using Flags = std::map<std::pair<std::string, std::string>, std::string>;

std::vector<launch::EmittedFile> files_of(const std::string& text) {
  Diagnostics diagnostics;
  const auto scenario = config::parse_scenario("running.yaml", text, {}, diagnostics);
  if (!scenario)
    return ADD_FAILURE() << render(diagnostics) << text, std::vector<launch::EmittedFile>();
  const auto plan = make_launch_plan(testing::shipped(), {.scenario = *scenario}, diagnostics);
  EXPECT_TRUE(plan) << render(diagnostics) << text;
  if (!plan) return {};
  auto files = launch::emit(std::string(launch::target_of(*plan)), *plan, diagnostics);
  EXPECT_TRUE(files) << render(diagnostics) << text;
  return files.value_or(std::vector<launch::EmittedFile>());
}

Flags flags_of(const std::vector<launch::EmittedFile>& files, bool said_alone) {
  Flags flags;
  for (const auto& each : launch::flag_settings(files, said_alone ? "running.yaml" : ""))
    if (each.is_said) flags[{each.file, each.flag}] = each.value;
  return flags;
}

Flags patched(Flags flags, const std::vector<launch::FlagChange>& patch) {
  for (const auto& change : patch) {
    if (change.is)
      flags[{change.file, change.flag}] = change.after;
    else
      flags.erase({change.file, change.flag});
  }
  return flags;
}

std::string run(const char* model, const char* framework) {
  return fmt::format(
      "loadfactor: 1\nname: case\ntrain:\n  model: {}\n  precision: bf16\n  tokens: 100 B\n"
      "  sequence: 4096\n  global_batch: 256\n  stack: {{framework: {}}}\n  layout: {{@}}\n"
      "hardware: [h100-sxm]\n",
      model, framework);
}

std::string service(const char* model) {
  return fmt::format(
      "loadfactor: 1\nname: case\nserve:\n  model: {}\n  deployment: {{@}}\n"
      "hardware: [h100-sxm]\n",
      model);
}

struct LawRow {
  std::string work;
  std::vector<std::string> ways;
};

std::vector<LawRow> law_rows() {
  return {
      {run("llama-3.1-8b", "megatron-core-2026"),
       {"gpus: 16, tp: 8, pp: 2, dp: 1, zero: 1, micro_batch: 1, recompute: full",
        "gpus: 16, tp: 2, pp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: none",
        "gpus: 16, tp: 4, pp: 1, dp: 4, zero: 0, micro_batch: 1, recompute: selective",
        "gpus: 16, tp: 4, pp: 1, dp: 4, zero: 1, micro_batch: 1, recompute: selective, "
        "sequence_parallel: false"}},
      {run("mixtral-8x7b", "megatron-core-2026"),
       {"gpus: 64, tp: 2, pp: 4, ep: 8, etp: 1, dp: 8, zero: 1, micro_batch: 1, recompute: "
        "selective",
        "gpus: 64, tp: 1, pp: 4, ep: 8, etp: 1, dp: 16, zero: 1, micro_batch: 1, recompute: "
        "full"}},
      {run("llama-3.1-8b", "deepspeed"),
       {"gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 2, recompute: full",
        "gpus: 16, tp: 1, pp: 1, dp: 16, zero: 2, micro_batch: 1, recompute: full"}},
      {run("llama-3.1-8b", "torchtitan"),
       {"gpus: 64, tp: 1, pp: 1, dp: 64, zero: 3, micro_batch: 1, recompute: selective",
        "gpus: 64, tp: 2, pp: 1, dp: 32, zero: 3, micro_batch: 2, recompute: full, "
        "sequence_parallel: true"}},
      {run("llama-3.1-8b", "hf-fsdp"),
       {"gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full",
        "gpus: 8, tp: 1, pp: 1, dp: 8, zero: 3, micro_batch: 2, recompute: full"}},
      {run("llama-3.1-8b", "fsdp2"),
       {"gpus: 16, tp: 1, pp: 1, dp: 16, zero: 3, micro_batch: 1, recompute: full",
        "gpus: 32, tp: 1, pp: 1, dp: 32, zero: 3, micro_batch: 2, recompute: full"}},
      {service("llama-3.3-70b"),
       {"engine: vllm, tp: 8, replicas: 1, max_seqs: 64",
        "engine: vllm, tp: 4, replicas: 2, kv: fp8, chunk: 4096",
        "engine: vllm, tp: 4, pp: 2, lora: {rank: 16, active: 4}"}},
      {service("llama-3.3-70b"),
       {"engine: sglang, tp: 8, replicas: 1, max_seqs: 64",
        "engine: sglang, tp: 4, replicas: 2, kv: fp8, max_waiting: 100"}},
      {service("llama-3.1-8b"),
       {"engine: tensorrt-llm, tp: 2, replicas: 1, max_seqs: 64",
        "engine: tensorrt-llm, tp: 1, replicas: 2, chunk: 4096"}},
  };
}

std::string with(const LawRow& row, const std::string& way) {
  std::string text = row.work;
  return text.replace(text.find('@'), 1, way);
}

// What Megatron refuses to start without another flag.
void expect_accepted(const Flags& flags) {
  std::set<std::string> names;
  for (const auto& [where, value] : flags) names.insert(where.second);
  const auto needs = [&](const char* flag, const char* other) {
    if (names.contains(flag)) {
      EXPECT_TRUE(names.contains(other)) << flag << " without " << other;
    }
  };
  needs("--overlap-param-gather", "--overlap-grad-reduce");
  needs("--overlap-param-gather", "--use-distributed-optimizer");
  needs("--tp-comm-overlap", "--sequence-parallel");
  needs("--recompute-method", "--recompute-granularity");
  needs("--num-query-groups", "--group-query-attention");
}

TEST(PatchLaw, APatchMakesTheFlagsOfTheAdviceOutOfWhatRuns) {
  int patches = 0;
  for (const LawRow& row : law_rows())
    for (const auto& first : row.ways)
      for (const auto& second : row.ways) {
        const auto before = files_of(with(row, first));
        const auto after = files_of(with(row, second));
        const auto patch = launch::flag_patch(before, after, "running.yaml");
        const Flags wanted = flags_of(after, false);
        EXPECT_FALSE(wanted.empty()) << row.work;
        EXPECT_EQ(patched(flags_of(before, true), patch), wanted) << first << "\n" << second;
        EXPECT_EQ(patched(flags_of(before, false), patch), wanted) << first << "\n" << second;
        expect_accepted(patched(flags_of(before, true), patch));
        ++patches;
      }
  EXPECT_GE(patches, 40);
}

TEST(PatchLaw, NothingChangesWhereBothAreTheSame) {
  for (const LawRow& row : law_rows()) {
    const auto files = files_of(with(row, row.ways.front()));
    for (const auto& change : launch::flag_patch(files, files, "running.yaml"))
      EXPECT_TRUE(change.is_presumed) << change.flag;
  }
}

}  // namespace
}  // namespace loadfactor::engine

// What training programs do where nothing in the files says it.
#include <array>
#include <string>
#include <string_view>

#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

constexpr const char* kPrecisionKey = "train.precision";
constexpr const char* kRecomputeKey = "train.layout.recompute";
constexpr const char* kZeroKey = "train.layout.zero";

bool is_said(const Findings& findings, std::string_view key) {
  return findings.find(key) != nullptr || findings.is_open(key);
}

// Programs compute in 32 bits unless they are told otherwise. A scenario has no such format, and
// the default of its own would be another run.
void ask_for_precision(Findings& findings) {
  if (is_said(findings, kPrecisionKey)) return;
  struct PlainRow {
    std::string_view key, why;
  };
  constexpr std::array kRows{
      PlainRow{kPlainMixed, "mixed_precision is no"},
      PlainRow{kPlainDeepspeed, "neither bf16 nor fp16 is enabled"},
      PlainRow{kPlainMegatron, "neither --bf16 nor --fp16 is given"},
      PlainRow{kPlainTrl, "bf16 is the default of later releases of TRL alone"},
      PlainRow{kPlainTrainer, "neither bf16 nor fp16 is given"},
      PlainRow{kPlainAccelerate, "no mixed_precision is given"},
      PlainRow{kPlainScript, "a program of your own says it in its code; where nothing does"}};
  for (const auto& [key, why] : kRows) {
    const Finding* found = findings.find(key);
    if (found == nullptr) continue;
    return findings.leave_open(kPrecisionKey, found->place,
                               std::string(why) +
                                   ": it trains in fp32 then, which a scenario does not have, and "
                                   "the prediction would be that of bf16");
  }
}

// Arguments of the Trainer that shard nothing leave it to PyTorch's DDP.
void guess_replicas(Findings& findings) {
  const Finding* program = findings.find("program");
  if (program == nullptr || program->value != "pytorch" ||
      findings.find(kPlainTrainer) == nullptr || is_said(findings, kZeroKey) ||
      is_said(findings, "train.stack.framework"))
    return;
  findings.guess(kZeroKey, "0", "no argument shards anything");
  findings.guess("train.stack.framework", "distributeddataparallel", "no argument shards anything");
}

void guess_recompute(Findings& findings) {
  if (is_said(findings, kRecomputeKey)) return;
  if (const Finding* factory = findings.find(kPlainFactory); factory != nullptr)
    return findings.guess(kRecomputeKey, "full", "LLaMA-Factory's default");
  if (const Finding* trl = findings.find(kPlainTrl); trl != nullptr)
    return findings.leave_open(kRecomputeKey, trl->place,
                               "gradient_checkpointing is the default of later releases of TRL");
  if (findings.find(kPlainTrainer) != nullptr)
    findings.guess(kRecomputeKey, "none", "no argument recomputes anything");
}

// What accelerate runs on follows from how it shards.
void guess_accelerated(Findings& findings) {
  constexpr const char* kFramework = "train.stack.framework";
  const Finding* program = findings.find("program");
  if (program == nullptr || program->value != "accelerate" || is_said(findings, kFramework)) return;
  if (const auto open = findings.open().find(kZeroKey); open != findings.open().end())
    return findings.leave_open(kFramework, Place(open->second.place),
                               "hf-fsdp, deepspeed or distributeddataparallel follows from how it "
                               "shards");
  findings.guess(kFramework, accelerate_framework(findings), "by its launcher");
}

// torchtitan compiles nothing by itself.
void guess_compiler(Findings& findings) {
  const Finding* program = findings.find("program");
  if (program == nullptr || program->value != "torchtitan" ||
      is_said(findings, "train.stack.framework"))
    return;
  findings.guess("train.stack.framework", "torchtitan-eager",
                 "nothing compiles it; compile.enable makes it torchtitan");
}

// Megatron's batch is one micro-batch on every rank.
void guess_batch(Findings& findings) {
  const Finding* program = findings.find("program");
  const auto dp = findings.number("train.layout.dp");
  const auto micro = findings.number("train.layout.micro_batch");
  constexpr std::int64_t kMaxBatch = 100'000'000;
  if (program == nullptr || program->value != "megatron" || !dp || !micro) return;
  if (is_said(findings, "train.global_batch") || *dp > kMaxBatch / *micro) return;
  findings.guess("train.global_batch", std::to_string(*dp * *micro),
                 "micro-batch times dp, megatron's default");
}

}  // namespace

void apply_defaults(Findings& findings) {
  ask_for_precision(findings);
  guess_replicas(findings);
  guess_accelerated(findings);
  guess_recompute(findings);
  guess_batch(findings);
  guess_compiler(findings);
}

}  // namespace loadfactor::launch

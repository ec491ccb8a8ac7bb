// The closed sets of words that a scenario may use.
#pragma once

#include <array>

#include "config/magnitudes.h"
#include "config/reader.h"
#include "loadfactor/scenario.h"

namespace loadfactor::config {

inline constexpr std::array kRecomputeWords{
    Word<RecomputeWord>{"none", RecomputeWord::kNone},
    Word<RecomputeWord>{"modules", RecomputeWord::kModules},
    Word<RecomputeWord>{"selective", RecomputeWord::kSelective},
    Word<RecomputeWord>{"full", RecomputeWord::kFull},
};
inline constexpr std::array kModuleWords{
    Word<ModuleWord>{"norms", ModuleWord::kNorms},
    Word<ModuleWord>{"activations", ModuleWord::kActivations},
    Word<ModuleWord>{"mlp", ModuleWord::kMlp},
    Word<ModuleWord>{"latent-up", ModuleWord::kLatentUp},
    Word<ModuleWord>{"experts", ModuleWord::kExperts},
};
inline constexpr std::array kScheduleWords{
    Word<ScheduleWord>{"gpipe", ScheduleWord::kGpipe},
    Word<ScheduleWord>{"1f1b", ScheduleWord::kOneForwardOneBackward},
    Word<ScheduleWord>{"interleaved", ScheduleWord::kInterleaved},
    Word<ScheduleWord>{"zero-bubble", ScheduleWord::kZeroBubble},
    Word<ScheduleWord>{"zero-bubble-v", ScheduleWord::kZeroBubbleV},
    Word<ScheduleWord>{"dualpipe", ScheduleWord::kDualPipe},
};
inline constexpr std::array kGradientWords{
    Word<GradientWord>{"fp32", GradientWord::kFp32},
    Word<GradientWord>{"bf16", GradientWord::kBf16},
    Word<GradientWord>{"fp16", GradientWord::kFp16},
    Word<GradientWord>{"fp8", GradientWord::kFp8},
    Word<GradientWord>{"int8", GradientWord::kInt8},
};
inline constexpr std::array kMomentWords{
    Word<MomentWord>{"fp32", MomentWord::kFp32},
    Word<MomentWord>{"bf16", MomentWord::kBf16},
};
inline constexpr std::array kKeptWords{
    Word<KeptWord>{"bf16", KeptWord::kBf16},
    Word<KeptWord>{"fp8", KeptWord::kFp8},
};
inline constexpr std::array kDispatchWords{
    Word<DispatchWord>{"bf16", DispatchWord::kBf16},
    Word<DispatchWord>{"fp8", DispatchWord::kFp8},
};
inline constexpr std::array kCompressionWords{
    Word<CompressionWord>{"powersgd", CompressionWord::kPowerSgd},
    Word<CompressionWord>{"1-bit", CompressionWord::kOneBit},
};
inline constexpr std::array kOffloadWords{
    Word<OffloadWord>{"optimizer", OffloadWord::kOptimizer},
    Word<OffloadWord>{"parameters", OffloadWord::kParameters},
    Word<OffloadWord>{"activations", OffloadWord::kActivations},
};
inline constexpr std::array kCheckpointWords{
    Word<CheckpointWord>{"synchronous", CheckpointWord::kSynchronous},
    Word<CheckpointWord>{"asynchronous", CheckpointWord::kAsynchronous},
    Word<CheckpointWord>{"in-memory", CheckpointWord::kInMemory},
};
inline constexpr std::array kLoraTargets{
    Word<LoraTargets>{"attention", LoraTargets::kAttention},
    Word<LoraTargets>{"all-linear", LoraTargets::kAllLinear},
};
inline constexpr std::array kMethodWords{
    Word<MethodWord>{"full", MethodWord::kFull},
    Word<MethodWord>{"lora", MethodWord::kLora},
    Word<MethodWord>{"qlora", MethodWord::kQlora},
    Word<MethodWord>{"dpo", MethodWord::kDpo},
    Word<MethodWord>{"distillation", MethodWord::kDistillation},
    Word<MethodWord>{"grpo", MethodWord::kGrpo},
    Word<MethodWord>{"ppo", MethodWord::kPpo},
};
inline constexpr std::array kPlacementWords{
    Word<PlacementWord>{"colocated", PlacementWord::kColocated},
    Word<PlacementWord>{"split", PlacementWord::kSplit},
};
inline constexpr std::array kOptionWords{
    Word<OptionKind>{name_of(OptionKind::kOnDemand), OptionKind::kOnDemand},
    Word<OptionKind>{name_of(OptionKind::kReserved1y), OptionKind::kReserved1y},
    Word<OptionKind>{name_of(OptionKind::kReserved3y), OptionKind::kReserved3y},
    Word<OptionKind>{name_of(OptionKind::kSpot), OptionKind::kSpot},
    Word<OptionKind>{name_of(OptionKind::kOwn), OptionKind::kOwn},
    Word<OptionKind>{name_of(OptionKind::kApi), OptionKind::kApi},
};
inline constexpr std::array kOfftakeWords{
    Word<Offtake>{"investment-grade", Offtake::kInvestmentGrade},
    Word<Offtake>{"speculative", Offtake::kSpeculative},
    Word<Offtake>{"merchant", Offtake::kMerchant},
};
inline constexpr std::array kDepreciationWords{
    Word<DepreciationWord>{"straight-line", DepreciationWord::kStraightLine},
    Word<DepreciationWord>{"macrs", DepreciationWord::kMacrs},
};
inline constexpr std::array kPreemptionWords{
    Word<PreemptionWord>{"recompute", PreemptionWord::kRecompute},
    Word<PreemptionWord>{"swap", PreemptionWord::kSwap},
};

struct SloKey {
  std::string_view key;
  SloMetric metric;
  double quantile;
};
inline constexpr std::array kSloKeys{
    SloKey{"ttft_p50", SloMetric::kTimeToFirstToken, 0.50},
    SloKey{"ttft_p90", SloMetric::kTimeToFirstToken, 0.90},
    SloKey{"ttft_p95", SloMetric::kTimeToFirstToken, 0.95},
    SloKey{"ttft_p99", SloMetric::kTimeToFirstToken, 0.99},
    SloKey{"tpot_p50", SloMetric::kTimePerOutputToken, 0.50},
    SloKey{"tpot_p90", SloMetric::kTimePerOutputToken, 0.90},
    SloKey{"tpot_p95", SloMetric::kTimePerOutputToken, 0.95},
    SloKey{"tpot_p99", SloMetric::kTimePerOutputToken, 0.99},
    SloKey{"e2e_p50", SloMetric::kWholeRequest, 0.50},
    SloKey{"e2e_p90", SloMetric::kWholeRequest, 0.90},
    SloKey{"e2e_p95", SloMetric::kWholeRequest, 0.95},
    SloKey{"e2e_p99", SloMetric::kWholeRequest, 0.99},
};

// Names of models have slashes too; a file ends in .json or begins like a path.
constexpr bool is_model_path(std::string_view word) {
  return word.ends_with(".json") || word.starts_with("./") || word.starts_with("../") ||
         word.starts_with('/');
}

// The keys of a mean rate, and the seconds of their periods.
struct Period {
  std::string_view key;
  double seconds;
};
inline constexpr std::array kPeriods{
    Period{"requests_per_second", 1.0},
    Period{"requests_per_hour", magnitude::kHour},
    Period{"requests_per_day", magnitude::kDay},
    Period{"requests_per_month", magnitude::kMonth},
};

}  // namespace loadfactor::config

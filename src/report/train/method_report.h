// A step of post-training in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/train.h"
#include "report/train/train_report.h"

namespace loadfactor::report {

std::string method_verdict(const MethodAnswer& answer);
// `grpo · 64 prompts × 8 answers a step`
std::string method_work_words(const MethodAnswer& answer);
// Which GPUs write and which learn.
std::string method_place_words(const MethodAnswer& answer);
// How much of the GPU time nothing is computed, and what is waited for.
std::string method_idle_words(const MethodAnswer& answer);
std::string_view phase_meaning(MethodPhase::Kind kind);
// The phases, what idles, the shares of the GPUs that were tried.
std::string method_text(const MethodAnswer& answer, const std::vector<MissedLimit>& missed,
                        const TrainTextOptions& options);
std::string method_markdown(const MethodAnswer& answer, const std::vector<MissedLimit>& missed);

}  // namespace loadfactor::report

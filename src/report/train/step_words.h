// The parts of a training step and of its memory in words.
#pragma once

#include <string>
#include <string_view>

#include "loadfactor/train.h"

namespace loadfactor::report {

struct StepPartWords {
  std::string_view name;
  std::string_view what;
};
// By the model's own word for the part.
StepPartWords step_part_words(std::string_view key);
std::string step_part_name(const StepPart& part);
std::string step_part_meaning(const StepPart& part);
// `step 12.3 ms = matrix products 8.0 ms + …`.
std::string step_sum_words(const TrainAnswer& answer);

// What a line of the memory is.
std::string memory_words(const TrainAnswer& answer, MemoryUse use);
// `every GPU is alike; fullest at the loss`.
std::string fullest_words(const TrainAnswer& answer);
// `the fullest GPU needs 90.0 GiB of 79.6 GiB`.
std::string shortage_words(const TrainAnswer& answer);
std::string_view name_of(MemoryVerdict verdict);

std::string_view loss_meaning(GoodputLoss::Cause cause);
std::string constant_words(const UsedConstant& constant);

// `F3.1`, `optimizer`.
std::string span_name(const TraceSpan& span, int chunks);
// `weight gradient`.
std::string_view kind_name(TraceSpan::Kind kind);

}  // namespace loadfactor::report

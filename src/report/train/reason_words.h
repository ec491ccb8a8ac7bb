// Why layouts, steps and machines are as they are, in words.
#pragma once

#include <string>
#include <vector>

#include "loadfactor/search.h"

namespace loadfactor::report {

std::string reason_words(const LayoutReasons& reasons);
// Why a step is not faster, a sentence each.
std::vector<std::string> step_loss_words(const TrainAnswer& answer);
// `draws 80 kW of the 40 kW that the site has, which feed 28`.
std::string words_of(const PowerObjection& objection);
// Why a run makes no progress, and what would help.
std::string stall_words(const RunStall& stall);
std::string remedy_words(const RunStall& stall);
std::string words_of(const MachineObjection& objection, int gpus);
// `days, power`.
std::string front_words(const std::vector<FrontFigure>& figures);

}  // namespace loadfactor::report

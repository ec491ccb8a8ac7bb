// Whether a search on the same GPUs finds a layout that is clearly better than the one in hand.
#pragma once

#include <optional>

#include "engine/core.h"

namespace loadfactor::engine {

// A notice with the edit, where the search finds more than a tenth more tokens per second on as
// many GPUs of the same chip. Whatever the layout of the scenario fixes but its GPUs is left open.
std::optional<Notice> note_better_layout(const Core& engine, const TrainInputs& request,
                                         const TrainAnswer& answer);

// A notice with the edits, where the layout is blank and the search finds a run that costs a tenth
// less, or takes a tenth less time where nothing has a price, on other machines or another number
// of them.
std::optional<Notice> note_better_machine(const Core& engine, const TrainInputs& request,
                                          const TrainAnswer& answer);

}  // namespace loadfactor::engine

// Where the search would choose another deployment than the smallest one that is answered for.
#pragma once

#include "resolve/serve/serving_world.h"

namespace loadfactor::engine {

// Adds a notice with the edits that give the search's deployment where the
// scenario leaves the layout blank and the search would not take `taken`.
void note_other_layout(const ServingInputs& question, const serving::ReplicaPlan& taken,
                       Service& service);

}  // namespace loadfactor::engine

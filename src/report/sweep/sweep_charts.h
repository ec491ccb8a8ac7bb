// Charts of a sweep as places on a drawing; web/sweep.html draws them.
#pragma once

#include "loadfactor/value.h"
#include "sweep/look/look.h"

namespace loadfactor::report {

// Two figures against each other, the front as a line; null where there is none. `width` in pixels.
Value sweep_front_chart(const sweep::Look& look, double width);
// A line for each case over the axes and figures; null where nothing varies.
Value sweep_lines_chart(const sweep::Look& look);
// Maps of the verdict; null where there are no two axes.
Value sweep_phase_maps(const sweep::Look& look);

}  // namespace loadfactor::report

// What few groups say about the next one.
#pragma once

#include <cstddef>

namespace loadfactor::calibrate {

// By how much the interval of the next group is wider than where nine of ten of so many groups lie:
// Student's t over the normal at the same level, and the spread of the groups' own mean. Two groups
// at least; one says nothing and counts as two.
double few_groups(std::size_t groups);

}  // namespace loadfactor::calibrate

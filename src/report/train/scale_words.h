// What the curves of a training run say, in sentences.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/search.h"

namespace loadfactor::report {

std::string_view name_of(ScaleLimit limit);
std::string_view name_of(MachineChange change);

// The first line: what a budget buys, what surprises, and how far each accelerator scales.
std::string scale_verdict(const ScaleAnswer& answer);

// One against several, taller against wider, fast links against none.
std::vector<std::string> decision_words(const ScaleAnswer& answer);

// How far a curve scales, which size is the cheapest and which the fastest, and what binds the
// largest; `line` is the efficiency that is asked.
std::string curve_words(const ScaleCurve& curve, double line);

// Which way to pay the costs of a curve are of; one may be the cheapest at one size and not at
// another. Commitments that outlast the run are paid to their end.
std::string payment_words(const ScaleCurve& curve);

}  // namespace loadfactor::report

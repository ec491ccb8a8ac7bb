// What a second question says of the first: nothing is faster than its chips, and nobody does worse
// with more.
#pragma once

#include <functional>
#include <string>

#include "mutator.h"
#include "oracles.h"

namespace loadfactor::fuzz {

// The most that a chip can do in a second, in any format: from the catalogue's files.
struct Chip {
  double flops = 0;
  double bandwidth = 0;
};

// A run's step and a service's token against the chips' peaks. `chips` by name: [FLOP/s, B/s].
Complaints faster_than_light(const Json& document, const Json& chips, const std::string& text);

// The answer of a case as JSON; nothing but an object with "errors" where it is refused.
using Ask = std::function<Json(const Json& asked)>;
// One law of the verb, drawn, on a case that was answered; `checks` counts comparisons.
Complaints worse_with_more(const Json& asked, const Json& document, Draw& draw, const Ask& ask,
                           long& checks);

}  // namespace loadfactor::fuzz

// What a deployment does and what limits it, in words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/serve.h"

namespace loadfactor::report {

std::string serve_part_name(const ServePart& part);
// `16 requests at a time`, `3.7 requests per second`, `saturated`.
std::string load_words(const ServeLoad& load);
// `1200 tokens in, 300 out`; `400 tokens in, none out` of models that write nothing.
std::string lengths_words(double in, double out);
// What binds a full deployment.
std::string limit_words(const ServeLimit& limit);
// A line for each objective.
std::vector<std::string> slo_words(const ServeAnswer& answer);

// What limits a simulated deployment.
std::string binding_words(const SimulateBinding& binding);
// Why it was simulated token by token; empty: it was not.
std::string_view plain_words(WhyPlain why);

}  // namespace loadfactor::report

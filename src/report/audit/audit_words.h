// The sentences of an audit, written from its figures.
#pragma once

#include <string>
#include <string_view>

#include "audit/finding.h"

namespace loadfactor::report {

// A figure's name inside a sum: "GPUs per rack".
std::string_view title_of(audit::Figure figure);
// A figure's value: "1,200", "3.6 MW", "78 %".
std::string shown(audit::Figure figure, double value);

// What is claimed: "site power 3.6 MW".
std::string claim_words(const audit::Finding& finding);
// What follows from the rest: "0.9 MW".
std::string computed_words(const audit::Finding& finding);
// How it follows: "30 (racks) × 30 kW (power of a rack) = 0.9 MW".
std::string sum_words(const audit::Finding& finding);
// What that means; empty where the check holds.
std::string why_words(const audit::Finding& finding);

}  // namespace loadfactor::report

// The worked cases of tests/golden/economics.csv, each computed by the functions that `cost` calls.
#pragma once

#include <map>
#include <string>

namespace loadfactor::economics {

// By id; several figures are joined by '|', counts are written without a point.
using GoldenValues = std::map<std::string, std::string>;

void add_owning_cases(GoldenValues& values);
void add_renting_cases(GoldenValues& values);
void add_sizing_cases(GoldenValues& values);
void add_machine_cases(GoldenValues& values);

// As many digits as a double has.
std::string golden_text(double value);

}  // namespace loadfactor::economics

// A fitted model of traffic as a file, and what to say beside it.
#pragma once

#include <string>

#include "resolve/demand/traffic.h"

namespace loadfactor::report {

// The model as a file, and how far it is from what it has not seen.
std::string traffic_file(const engine::TrafficFitAnswer& fit);

// A figure in which made traffic is not like the file.
std::string words_of(const engine::FarFigure& figure);

}  // namespace loadfactor::report

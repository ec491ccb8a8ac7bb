// Traffic that is made: a fitted model as a file, and requests from a model.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "loadfactor/ask.h"
#include "resolve/demand/traffic.h"

namespace loadfactor::facade {

// The model as a file, and how far it is from what it has not seen.
std::string fit_file(const engine::TrafficFitAnswer& fit);
// Where made traffic is too far from the file.
std::vector<std::string> fit_warnings(const engine::TrafficFitAnswer& fit);

// Requests as our own CSV.
Result<std::string> generate_requests(const catalog::Catalog& catalog,
                                      const DemandQuestion& question);

}  // namespace loadfactor::facade

// Requests that are made from a model of traffic.
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "loadfactor/ask.h"

namespace loadfactor::facade {

// Requests as our own CSV.
Result<std::string> generate_requests(const catalog::Catalog& catalog,
                                      const DemandQuestion& question);

}  // namespace loadfactor::facade

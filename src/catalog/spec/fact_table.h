// Plain facts that belong to no chip and no model: one figure, its bounds, unit and source.
#pragma once

#include <optional>
#include <string>

#include "catalog/spec/provenance.h"

namespace loadfactor::catalog {

// The unit is text because these facts have many (`years`, `USD/kW`, `ratio per year`); whoever
// uses one knows which it needs and checks it.
struct Fact {
  std::string name;
  std::string variant;  // Empty when the fact has only one.
  double value = 0.0;
  std::optional<double> low;
  std::optional<double> high;
  std::string unit;
  std::string note;
  Provenance provenance;
};

}  // namespace loadfactor::catalog

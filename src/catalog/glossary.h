// The words of the product, each defined once.
#pragma once

#include <string>

namespace loadfactor::catalog {

struct Term {
  std::string name;
  std::string definition;
  std::string formula;
  std::string unit;
};

}  // namespace loadfactor::catalog

// The words of the product, each defined once.
#pragma once

#include <string>

namespace loadfactor::catalog {

struct GlossaryTerm {
  std::string name;
  std::string definition;
  std::string formula;
  std::string unit;
};

}  // namespace loadfactor::catalog

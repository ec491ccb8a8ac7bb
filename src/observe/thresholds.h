// The limits from which something is said or advised, as data/integrations/observe_thresholds.csv
// has them.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace loadfactor::observe {

class Thresholds {
 public:
  Thresholds();
  // A name that the table has.
  double operator[](std::string_view name) const;

 private:
  std::map<std::string, double, std::less<>> values_;
};

}  // namespace loadfactor::observe

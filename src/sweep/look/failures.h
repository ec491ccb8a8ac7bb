// The cases without an answer, by reason.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sweep/look/look.h"

namespace loadfactor::sweep {

class FailureMaker {
 public:
  void take(const CaseRow& row);
  std::vector<FailedCases> finish();

 private:
  std::map<std::tuple<CaseStatus, int, std::string>, FailedCases> by_reason_;
};

}  // namespace loadfactor::sweep

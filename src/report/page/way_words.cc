#include "report/page/way_words.h"

namespace loadfactor::report {

WayWords words_of(OptionKind kind, bool is_run) {
  switch (kind) {
    case OptionKind::kOwn:
      return {"own", "Own", "owning"};
    case OptionKind::kReserved1y:
      return {"res", "Reserved, 1 year", "reserving for a year"};
    case OptionKind::kReserved3y:
      return {"res", "Reserved, 3 years", "reserving for 3 years"};
    case OptionKind::kOnDemand:
      return {"dem", is_run ? "On demand" : "On demand, always on", "renting on demand"};
    case OptionKind::kAutoscaled:
      return {"dem", "On demand, as needed", "renting on demand as needed"};
    case OptionKind::kSpot:
      return {"spot", "Spot", "spot"};
    case OptionKind::kApi:
      return {"api", "API", "the API"};
    case OptionKind::kManaged:
      return {"api", "Managed platform", "a managed platform"};
    case OptionKind::kOwnBurst:
      return {"own", "Own, peaks on demand", "owning with rented peaks"};
    case OptionKind::kOwnSpotBurst:
      return {"own", "Own, peaks on spot", "owning with peaks on spot"};
    case OptionKind::kThreeTier:
      return {"own", "Own, reserve and rent", "owning, reserving and renting"};
    case OptionKind::kAlternative:
      break;
  }
  return {"own", "Another machine", "another machine"};
}

}  // namespace loadfactor::report

// How far off predictions were and are, told apart by what was measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibrate/site/site_terms.h"

namespace loadfactor::calibrate {

struct KindErrors {
  std::string kind;
  int figures = 0;
  int runs = 0;  // Figures of one run are left out together.
  SiteErrors before;
  SiteErrors after;
  std::optional<SiteErrors> held_out;  // Each run from the others; nothing where there is no other.
};

// Observations beside the kind of each, in the same order.
struct KindObservations {
  std::span<const SiteObservation> seen;
  std::span<const std::string> kinds;
};

// One row per kind, in the order of its first observation.
std::vector<KindErrors> errors_by_kind(std::span<const TermPrior> priors,
                                       const KindObservations& observations, const SiteFit& fit);

}  // namespace loadfactor::calibrate

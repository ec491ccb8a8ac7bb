// Measured collectives as observations of the communication of a step.
#pragma once

#include <string_view>
#include <vector>

#include "calibrate/measurement/measurement.h"
#include "calibrate/site/site_terms.h"
#include "collective/network.h"

namespace loadfactor::calibrate {

// One observation per point whose time lies in the term named, and in no other; points of
// operations that the model does not know are left out. Small messages say more of launches than
// of links, so only those of a mebibyte and more count.
std::vector<SiteObservation> observe_collectives(const CollectiveFile& file,
                                                 const collective::Network& network,
                                                 const std::vector<TermPrior>& priors,
                                                 std::string_view term);

}  // namespace loadfactor::calibrate

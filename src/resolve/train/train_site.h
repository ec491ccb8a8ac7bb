// A site's own measurements, laid over a training prediction.
#pragma once

#include <optional>
#include <string_view>

#include "calibrate/site/site_file.h"
#include "catalog/catalog.h"
#include "loadfactor/train.h"

namespace loadfactor::engine {

// The site of the user's overlay where it speaks of this chip and software; else the shipped
// terms, which move nothing.
std::optional<calibrate::SiteCalibration> find_site(const catalog::Catalog& catalog,
                                                    std::string_view chip, std::string_view stack,
                                                    Diagnostics& diagnostics);

// The shipped terms alone: what a site's own measurements are fitted over.
std::optional<calibrate::SiteCalibration> shipped_site(const catalog::Catalog& catalog,
                                                       Diagnostics& diagnostics);

// The parts of an answer as a step again.
training::StepTime step_of(const TrainAnswer& answer);

}  // namespace loadfactor::engine

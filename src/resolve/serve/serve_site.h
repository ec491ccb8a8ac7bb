// A site's own measurements, laid over a serving prediction.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "calibrate/site/site_serving.h"
#include "catalog/catalog.h"
#include "serving/calibration_file.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {

// Files of data/calibration, those of the user's overlay in place of ours.
std::vector<catalog::DataFile> calibration_files(const catalog::Catalog& catalog);

// Where an overlay has what its site measured of serving.
inline constexpr const char* kServingSiteFile = "site-serving.yaml";

// The site of the user's overlay where it speaks of this chip and generation of an engine; else
// the shipped terms, which move nothing.
std::optional<calibrate::ServingSite> find_serving_site(const catalog::Catalog& catalog,
                                                        std::string_view chip,
                                                        const serving::EngineTraits& engine,
                                                        Diagnostics& diagnostics);

// A figure of a load as seconds: the inverse of a rate.
double seconds_of(serving::Metric metric, const serving::LoadFigures& figures);

// A figure of a load on a pool, for any constants. Both are copied.
calibrate::ServingSeconds seconds_under(const serving::Pool& pool, const serving::Load& load,
                                        serving::Metric metric);

// How the figures of a run of a load generator lie beside the prediction. Figures that the run
// does not state are left out.
struct MeasuredRun {
  std::string label;
  double output_rate = 0;  // Tokens per second.
  double first_token = 0;  // Seconds, mean.
  double per_token = 0;
};
struct RunFigure {
  std::string label;
  serving::Metric metric = serving::Metric::kThroughput;
  double measured = 0;  // In base units.
  calibrate::ServingSeconds seconds;
};
std::vector<RunFigure> figures_of(const MeasuredRun& run, const serving::Pool& pool,
                                  const serving::Load& load);

// The figures as observations of a site's terms; those of one run are left out together.
std::vector<calibrate::SiteObservation> observe_figures(const std::vector<RunFigure>& figures,
                                                        const calibrate::ServingSite& site,
                                                        const serving::Constants& constants,
                                                        const serving::EngineTraits& engine);

}  // namespace loadfactor::engine

#include "resolve/serve/serve_site.h"

#include <cmath>
#include <string>

namespace loadfactor::engine {
namespace {

using calibrate::ServingSite;
using serving::Metric;

// Repeats of one run differ by this, as the standard deviation of the logarithm; what waits in a
// queue differs most.
double noise_of(Metric metric) {
  constexpr double kSteady = 0.03;
  constexpr double kQueued = 0.2;
  return metric == Metric::kFirstToken || metric == Metric::kLatency ? kQueued : kSteady;
}

}  // namespace

std::vector<catalog::DataFile> calibration_files(const catalog::Catalog& catalog) {
  std::vector<catalog::DataFile> files;
  for (const auto& path : catalog.paths_below("calibration/"))
    files.push_back(*catalog.find_file(path));
  return files;
}

std::optional<ServingSite> find_serving_site(const catalog::Catalog& catalog, std::string_view chip,
                                             const serving::EngineTraits& engine,
                                             Diagnostics& diagnostics) {
  if (const auto* file = catalog.find_file(kServingSiteFile)) {
    auto site = calibrate::load_serving_site(*file, diagnostics);
    const auto speaks_of = [](const std::string& said, std::string_view wanted) {
      return said.empty() || said == wanted;
    };
    if (site && speaks_of(site->chip, chip) && speaks_of(site->engine, engine.name)) return site;
  }
  const auto* shipped = catalog.find_file("calibration/site-serving-terms.yaml");
  if (shipped == nullptr) return std::nullopt;
  return calibrate::load_serving_site(*shipped, diagnostics);
}

double seconds_of(Metric metric, const serving::LoadFigures& figures) {
  switch (metric) {
    case Metric::kThroughput:
      return figures.output_rate > TokensPerSecond() ? 1 / figures.output_rate.base() : 0;
    case Metric::kTimePerToken:
      return figures.tpot.base();
    case Metric::kFirstToken:
      return figures.ttft.base();
    case Metric::kLatency:
      return figures.latency.base();
  }
  return 0;
}

calibrate::ServingSeconds seconds_under(const serving::Pool& pool, const serving::Load& load,
                                        Metric metric) {
  return [pool, load, metric](const serving::Constants& constants) {
    return seconds_of(metric, serving::closed_form(pool, load, constants));
  };
}

std::vector<RunFigure> figures_of(const MeasuredRun& run, const serving::Pool& pool,
                                  const serving::Load& load) {
  std::vector<RunFigure> figures;
  const std::pair<Metric, double> said[] = {{Metric::kThroughput, run.output_rate},
                                            {Metric::kFirstToken, run.first_token},
                                            {Metric::kTimePerToken, run.per_token}};
  for (const auto& [metric, value] : said) {
    if (value > 0) figures.push_back({run.label, metric, value, seconds_under(pool, load, metric)});
  }
  return figures;
}

std::vector<calibrate::SiteObservation> observe_figures(const std::vector<RunFigure>& figures,
                                                        const ServingSite& site,
                                                        const serving::Constants& constants,
                                                        const serving::EngineTraits& engine) {
  std::vector<calibrate::SiteObservation> seen;
  for (const RunFigure& figure : figures) {
    const bool rate = figure.metric == Metric::kThroughput;
    calibrate::SiteObservation row;
    row.label = figure.label;
    row.group = figure.label;
    row.terms = site.terms_of(figure.seconds, constants, engine);
    row.measured = rate ? 1 / figure.measured : figure.measured;
    row.noise = std::hypot(noise_of(figure.metric), site.rest);
    seen.push_back(std::move(row));
  }
  return seen;
}

}  // namespace loadfactor::engine

#include "calibrate/site/site_errors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace loadfactor::calibrate {
namespace {

// Figures of no run stand alone.
std::string run_of(const KindObservations& all, std::size_t i) {
  return all.seen[i].group.empty() ? "#" + std::to_string(i) : all.seen[i].group;
}

// The terms as all runs but one say them.
std::map<std::string, SiteFit> fits_without(std::span<const TermPrior> priors,
                                            const KindObservations& all) {
  std::map<std::string, SiteFit> fits;
  for (std::size_t i = 0; i < all.seen.size(); ++i) {
    const std::string run = run_of(all, i);
    if (fits.contains(run)) continue;
    std::vector<SiteObservation> others;
    for (std::size_t j = 0; j < all.seen.size(); ++j) {
      if (run_of(all, j) != run) others.push_back(all.seen[j]);
    }
    fits[run] = fit_terms(priors, others);
  }
  return fits;
}

double log_error_of_fit(const SiteFit& fit, const SiteObservation& seen) {
  return std::log(std::max(0.0, apply_terms(fit.terms, seen.terms)) / seen.measured);
}

}  // namespace

std::vector<KindErrors> errors_by_kind(std::span<const TermPrior> priors,
                                       const KindObservations& observations, const SiteFit& fit) {
  std::vector<KindErrors> rows;
  const auto without = fits_without(priors, observations);
  for (const std::string& kind : observations.kinds) {
    if (std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.kind == kind; }))
      continue;
    std::vector<double> before;
    std::vector<double> after;
    std::vector<double> held_out;
    std::set<std::string> runs;
    for (std::size_t i = 0; i < observations.seen.size(); ++i) {
      if (observations.kinds[i] != kind) continue;
      const SiteObservation& seen = observations.seen[i];
      before.push_back(std::log(seen.predicted() / seen.measured));
      after.push_back(log_error_of_fit(fit, seen));
      const std::string run = run_of(observations, i);
      held_out.push_back(log_error_of_fit(without.at(run), seen));
      runs.insert(run);
    }
    KindErrors row{kind, static_cast<int>(before.size()), static_cast<int>(runs.size())};
    row.before = error_figures(std::move(before));
    row.after = error_figures(std::move(after));
    if (without.size() > 1) row.held_out = error_figures(std::move(held_out));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace loadfactor::calibrate

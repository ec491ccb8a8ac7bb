// site-serving.yaml: what load generators measured at one site, laid over the predictions for its
// chip and engine.
//
// The terms are groups of constants of the serving model. How much of a figure a term decides is
// found by moving it a little; from there a figure is a sum of terms as a training step is, and
// the same fit with the same shrinkage applies (site_terms.h).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/site/site_kernels.h"
#include "calibrate/site/site_terms.h"
#include "catalog/load/data_file.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/result.h"
#include "serving/constants.h"
#include "serving/engine_traits.h"

namespace loadfactor::calibrate {

// Constants that share one factor.
struct ServingTermEntry {
  SiteTerm term;
  std::vector<std::string> constants;  // Names of the serving calibration, without an engine.
};

// One figure of a run as seconds, for any constants: the inverse where the figure is a rate.
using ServingSeconds = std::function<double(const serving::Constants&)>;

struct ServingSite {
  std::string title;
  std::string chip;    // Catalogue name; empty: any.
  std::string engine;  // Name of a generation; empty: any.
  std::vector<ServingTermEntry> terms;
  double rest = 0.05;  // Standard deviation of the logarithm of what no term explains.
  int runs = 0;        // Runs that were measured.
  catalog::Provenance provenance;

  // One per term, and a last one that holds still: what no term decides.
  std::vector<TermPrior> priors() const;
  serving::Constants apply(serving::Constants constants, const serving::EngineTraits& traits) const;
  // Seconds that each term decides of a figure, in the order of priors().
  std::vector<double> terms_of(const ServingSeconds& seconds, const serving::Constants& constants,
                               const serving::EngineTraits& traits) const;
  // How much narrower the interval of a figure is than before the site was measured: only as far
  // as measured terms decide it.
  double narrowing(const std::vector<double>& terms) const;
  void take(const SiteFit& fit, int measured_runs);
  // A probe's kernels are in the chip's table already: factors stay, doubt shrinks. False where
  // they say nothing of any term.
  bool take_kernels(const SiteKernels& kernels);
};

// LF511 for another schema; LF506 for a constant that does not exist.
std::optional<ServingSite> load_serving_site(const catalog::DataFile& file,
                                             Diagnostics& diagnostics);

// load_serving_site() of it gives the same values to four digits.
std::string serving_site_yaml(const ServingSite& site);

}  // namespace loadfactor::calibrate

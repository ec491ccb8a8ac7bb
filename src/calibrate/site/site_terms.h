// Which named terms of a prediction a site's measurements move, and how far.
//
// A prediction is a sum of named terms. Each term has a factor whose logarithm is drawn to zero
// with a width known before measuring; measurements move a factor only as far as they speak of
// it. One measurement therefore moves the terms it could blame, each a little, and never scales
// everything: a single scalar makes other predictions worse.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace loadfactor::calibrate {

struct TermPrior {
  std::string name;
  double width = 0.1;  // Standard deviation of the logarithm of the factor, before measuring.
};

// One measured time beside what was predicted of it, term by term. All in seconds.
struct SiteObservation {
  std::string label;
  std::vector<double> terms;  // One per prior, in their order.
  double measured = 0;
  double noise = 0.02;  // Standard deviation of the logarithm: repeats and what no term covers.
  std::string group;    // Observations of one run are left out together; empty: it stands alone.

  double predicted() const;
};

struct SiteTerm {
  std::string name;
  double factor = 1;
  double width = 0.1;  // Standard deviation of the factor's logarithm before measuring.
  double error = 0.1;  // The same after measuring.

  // Whether the measurements say anything of it.
  bool measured() const { return error < 0.9 * width; }
};

// Errors are |predicted / measured − 1|.
struct SiteErrors {
  double median = 0;
  double p90 = 0;
};

struct SiteFit {
  std::vector<SiteTerm> terms;
  SiteErrors before;
  SiteErrors after;
  SiteErrors held_out;  // Each observation predicted from the others; before where it is alone.
  int observations = 0;
  int strange = 0;     // Observations further off than all terms together explain.
  int faster = 0;      // Those of them that took less time than predicted,
  double fastest = 1;  // and how many times faster than predicted the fastest is.
  double strain = 1;   // Factor that widens errors: what is left over what was to be expected.

  // Whether the measurements contradict the prediction or one another: nothing is learnt then.
  bool refuted() const;
};

// The most likely factors given priors and observations.
SiteFit fit_terms(std::span<const TermPrior> priors, std::span<const SiteObservation> observations);

// What the fit says of terms.
double apply_terms(std::span<const SiteTerm> fitted, std::span<const double> terms);

SiteErrors error_figures(std::vector<double> log_ratios);

}  // namespace loadfactor::calibrate

// site.yaml: what one site measured, laid over the predictions for its chip and software.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/site/site_gap.h"
#include "calibrate/site/site_terms.h"
#include "catalog/load/data_file.h"
#include "catalog/spec/provenance.h"
#include "config/reader.h"
#include "loadfactor/result.h"
#include "training/step/step_time.h"

namespace loadfactor::calibrate {

// Parts of a training step that share one factor.
struct SiteTermEntry {
  SiteTerm term;
  std::vector<training::Part> parts;
};

// What memory takes to move a bit, whatever the chip's clock; the rest of a stream's draw follows
// it.
struct MemoryEnergy {
  Joules per_bit;
  catalog::Provenance provenance;
};

// The name, factor, width and error of a term in a site's file.
SiteTerm read_term_figures(config::MapReader& entry);

struct SiteCalibration {
  std::string title;
  std::string chip;   // Catalogue name; empty: any.
  std::string stack;  // What ran the training steps; empty: any.
  std::vector<SiteTermEntry> terms;
  int steps = 0;  // Steps that were measured.
  int reach = 0;  // Chips of the largest collective, where only collectives were measured.
  std::optional<MemoryEnergy> memory_energy;
  catalog::Provenance provenance;

  std::vector<TermPrior> priors() const;
  // The seconds of a step, term by term; parts that no term names are in none.
  std::vector<double> terms_of(const training::StepTime& time) const;
  // How long each part of a step is over the model's.
  training::PartFactors factors() const;
  // How much narrower the interval of this step is than before the site was measured: only as
  // far as its time lies in terms that were. Above 1 where measurements disagree.
  // `beyond`: the job is larger than the collectives that were measured.
  double narrowing(const training::StepTime& time, bool beyond = false) const;
  void take(const SiteFit& fit);
};

// LF511 for another schema; LF506 for a part that does not exist.
std::optional<SiteCalibration> load_site(const catalog::DataFile& file, Diagnostics& diagnostics);

// load_site() of it gives the same values to four digits.
std::string site_yaml(const SiteCalibration& site);

}  // namespace loadfactor::calibrate

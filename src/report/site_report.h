// What a site's measurements changed, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/site_file.h"
#include "calibrate/site_gap.h"
#include "calibrate/site_kernels.h"
#include "loadfactor/estimate.h"
#include "serving/calibration_file.h"

namespace loadfactor::report {

// A figure of a load generator beside what is predicted of it, in base units.
struct ServingComparison {
  std::string tool;
  std::string run;
  serving::Metric metric = serving::Metric::kThroughput;
  double measured = 0;
  double before = 0;
  double after = 0;
};

struct SiteAnswer {
  std::vector<std::string> files;
  std::optional<calibrate::SiteKernels> kernels;
  std::optional<calibrate::SiteFit> fit;  // Of training steps and collectives.
  std::optional<calibrate::GapAnswer> gap;
  std::optional<calibrate::SiteFit> serving_fit;
  std::optional<calibrate::GapAnswer> serving_gap;  // Of a mean figure, as seconds.
  std::vector<ServingComparison> serving;
  std::string folder;  // Where the overlay was written; empty if nowhere.
  std::vector<Notice> notices;
};

// `gemm bf16 plain`.
std::string kernel_name(const cost::KernelKey& key);

std::string site_text(const SiteAnswer& answer, int width, bool colour);
std::string site_json(const SiteAnswer& answer);

}  // namespace loadfactor::report

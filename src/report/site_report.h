// What a site's measurements changed, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/site_file.h"
#include "calibrate/site_gap.h"
#include "calibrate/site_kernels.h"
#include "loadfactor/estimate.h"

namespace loadfactor::report {

// A figure of a load generator beside what is predicted of it.
struct ServingComparison {
  std::string tool;
  std::string metric;
  double measured = 0;
  double predicted = 0;
};

struct SiteAnswer {
  std::vector<std::string> files;
  std::optional<calibrate::SiteKernels> kernels;
  std::optional<calibrate::SiteFit> fit;
  std::optional<calibrate::GapAnswer> gap;
  std::vector<ServingComparison> serving;  // Compared; no parameter is fitted to it.
  std::string folder;                      // Where the overlay was written; empty if nowhere.
  std::vector<Notice> notices;
};

std::string site_text(const SiteAnswer& answer, int width, bool colour);
std::string site_json(const SiteAnswer& answer);

}  // namespace loadfactor::report

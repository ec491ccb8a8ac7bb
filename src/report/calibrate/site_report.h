// What a site's measurements changed, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibrate/site/site_errors.h"
#include "calibrate/site/site_gap.h"
#include "calibrate/site/site_kernels.h"
#include "loadfactor/estimate.h"
#include "report/describe/envelope.h"
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
  std::vector<calibrate::SiteKernels> kernels;    // One for each chip that was probed.
  std::optional<calibrate::SiteFit> fit;          // Training steps and collectives.
  std::vector<calibrate::KindErrors> fit_errors;  // Steps and collectives apart.
  std::optional<calibrate::GapAnswer> gap;
  std::optional<calibrate::SiteFit> serving_fit;
  std::vector<calibrate::KindErrors> serving_errors;
  std::optional<calibrate::GapAnswer> serving_gap;  // For each figure, as seconds.
  std::vector<ServingComparison> serving;
  std::string folder;  // Where the overlay was written; empty if nowhere.
  std::vector<Notice> notices;
};

// `gemm bf16 plain`.
std::string kernel_name(const cost::KernelKey& key);

std::string site_text(const SiteAnswer& answer, int width, bool colour);
std::string site_json(const SiteAnswer& answer);
// The words and every table, for a page.
std::string site_markdown(const SiteAnswer& answer);
// One table: the terms of a step, else those of serving, else the runs, else the kernels.
std::string site_csv(const SiteAnswer& answer);

// Where the time went, in words of at most 80 columns. `what` begins the first sentence, such as
// "A step".
std::string gap_words(const calibrate::GapAnswer& gap);

AnswerSchema calibrate_schema();

}  // namespace loadfactor::report

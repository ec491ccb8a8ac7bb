// What a site's measurements changed, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/text/table.h"
#include "calibrate/profile/compared_step.h"
#include "calibrate/profile/nccl_debug.h"
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
  std::vector<calibrate::ComparedStep> profiles;
  std::vector<calibrate::NcclDebug> networks;
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

// A profiled step: what it is, and its three largest gaps in a sentence each.
std::string profile_words(const calibrate::ComparedStep& step);
// The ways that collectives took, and what of them is slower than it may be.
std::string network_words(const calibrate::NcclDebug& network);
Table profile_table(const calibrate::ComparedStep& step);

AnswerSchema calibrate_schema();

}  // namespace loadfactor::report

// How full a training cluster is, from the jobs that ran on it.
#include <algorithm>
#include <variant>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/fill/fill.h"

namespace loadfactor::engine {
namespace {

// GPU-hours of the hourly demand that a cluster of this size would have held.
FillPoint point_of(const demand::ClusterUse& use, int gpus) {
  double asked = 0;
  double held = 0;
  for (const double hour : use.series) {
    asked += hour;
    held += std::min(hour, static_cast<double>(gpus));
  }
  FillPoint point{.replicas = gpus, .gpus = gpus};
  if (use.series.empty() || asked <= 0) return point;
  point.load_factor = held / (static_cast<double>(gpus) * use.span.base() / 3600);
  point.within_slo = held / asked;
  return point;
}

}  // namespace

Result<ClusterFill> fill_cluster(const DemandAnswer& jobs, int gpus,
                                 std::optional<double> gpu_busy) {
  if (!jobs.cluster) {
    return Error{.code = lf::kNothingToFill,
                 .message = "the file holds no jobs",
                 .hint = "a job table names submit_time, duration and gpus"};
  }
  ClusterFill fill;
  fill.file = jobs.name;
  fill.use = *jobs.cluster;
  fill.gpus_assumed = gpus <= 0;
  fill.gpus = gpus > 0 ? gpus : static_cast<int>(fill.use.peak_gpus);
  if (gpus > 0 && fill.use.gpu_seconds > fill.use.span.base() * gpus)
    return Error{
        .code = lf::kOutOfRange,
        .message = fmt::format("the jobs held {:.1f} GPUs on average: {} cannot have run them",
                               fill.use.mean_gpus, counted(gpus, "GPU")),
        .hint = fmt::format("--gpus {} is the most they held at once", fill.use.peak_gpus)};
  const double paid = fill.use.span.base() * fill.gpus;
  if (paid <= 0) return Error{.code = lf::kNothingToFill, .message = "the jobs take no time"};
  fill.allocated = fill.use.gpu_seconds / paid;
  if (gpu_busy) fill.busy = fill.allocated * *gpu_busy;
  if (fill.use.open_jobs < fill.use.jobs)
    fill.useful = fill.busy.value_or(fill.allocated) * fill.use.useful_gpu_seconds /
                  std::max(1e-9, fill.use.gpu_seconds);
  fill.week = fill.use.week;
  for (auto& day : fill.week.rate)
    for (double& hour : day)
      if (hour >= 0) hour /= fill.gpus;
  for (const double share : {0.25, 0.5, 0.75, 1.0, 1.5, 2.0})
    fill.curve.push_back(point_of(fill.use, std::max(1, static_cast<int>(share * fill.gpus))));
  fill.notices = jobs.notices;
  if (fill.gpus_assumed) fill.notices.push_back({.id = "assumed-size"});
  if (!gpu_busy) fill.notices.push_back({.id = "busy-unknown"});
  const auto* trace = std::get_if<demand::JobTrace>(&jobs.data);
  const double open = fill.use.open_gpu_seconds / std::max(1e-9, fill.use.gpu_seconds);
  if (trace != nullptr && !trace->knows_state)
    fill.notices.push_back({.id = "ends-unknown"});
  else if (fill.use.open_jobs > 0)
    fill.notices.push_back({.id = "still-running",
                            .arguments = {{"jobs", format_count(fill.use.open_jobs)},
                                          {"share", fmt::format("{:.1f} %", 100 * open)}}});
  return fill;
}

}  // namespace loadfactor::engine

// How full a training cluster was, from the jobs that ran on it.
#pragma once

#include <cstdint>
#include <vector>

#include "demand/describe/characterise.h"
#include "demand/trace.h"

namespace loadfactor::demand {

struct ClusterUse {
  std::int64_t jobs = 0;
  Seconds span;                   // From the first start to the last end.
  double gpu_seconds = 0;         // Time allocated to all jobs.
  double useful_gpu_seconds = 0;  // Time allocated to jobs that came to their end.
  double open_gpu_seconds = 0;    // Time of jobs that still run or whose state is not known.
  std::int64_t peak_gpus = 0;     // Most allocated at once.
  double mean_gpus = 0;
  std::int64_t largest_job = 0;
  Seconds median_wait;
  Seconds p95_wait;
  double succeeded_share = 0;  // Share of the jobs that are over.
  std::int64_t open_jobs = 0;  // Jobs that still run or whose state is not known.
  WeekProfile week;            // Mean allocated GPUs by hour of the week.
  std::vector<double> series;  // Mean allocated GPUs by hour.
};

ClusterUse measure_cluster_use(const JobTrace& trace);

}  // namespace loadfactor::demand

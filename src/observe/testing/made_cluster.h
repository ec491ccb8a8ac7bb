// Clusters with samples of a minute, for tests.
#pragma once

#include <optional>
#include <string>

#include "observe/account.h"

namespace loadfactor::observe::testing {

inline constexpr double kFrom = 1762732800;  // A Monday.
inline constexpr double kHourSeconds = 3600;
inline const FullRate kUnknown = [](const ReplicaTrack&) { return std::optional<double>(); };

struct Gpu {
  std::string uuid = "GPU-1";
  std::string pod;
  std::string node = "n1";
};

inline Labels labels_of(const Gpu& gpu) {
  Labels labels{{"UUID", gpu.uuid}, {"Hostname", gpu.node}, {"modelName", "H100"}};
  if (!gpu.pod.empty()) {
    labels.push_back({"namespace", "lab"});
    labels.push_back({"pod", gpu.pod});
  }
  return labels;
}

// Samples of a minute each, between two hours.
inline void add(Cluster& cluster, const Gpu& gpu, double from, double to, double tensor,
                double busy) {
  const Labels labels = labels_of(gpu);
  const int a = cluster.series("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", labels);
  const int b = cluster.series("DCGM_FI_DEV_GPU_UTIL", labels);
  for (double t = kFrom + from * kHourSeconds; t < kFrom + to * kHourSeconds; t += 60) {
    cluster.sample(a, t, tensor);
    cluster.sample(b, t, 100 * busy);
  }
}

inline Cluster hours(double count) {
  return Cluster(Grid{kFrom, kFrom + count * kHourSeconds, 60});
}

inline double share(const Account& account, Loss loss) {
  return account.all.of(loss) / account.all.total();
}

inline JobRecord job_of(const std::string& id, JobEnd end, double from, double to) {
  JobRecord job;
  job.id = id;
  job.name = "train";
  job.end_state = end;
  job.start = kFrom + from * kHourSeconds;
  job.end = kFrom + to * kHourSeconds;
  job.nodes = {"n1"};
  job.gpus = 1;
  return job;
}

}  // namespace loadfactor::observe::testing

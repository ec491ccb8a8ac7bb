// Any bytes as what a monitor or a batch system printed, by every reader and through the account:
// refused or read, never a crash.
#include <cstddef>
#include <cstdint>
#include <string>

#include "observe/account.h"
#include "observe/read/readers.h"
#include "observe/straggler.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadfactor::observe;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const TextFile file{"fuzz", text};
  constexpr double kTo = 1700003600;
  Cluster cluster(make_grid(kTo - 3600, kTo, 60));
  static_cast<void>(find_kind(file));
  static_cast<void>(read_prometheus_text(file, kTo, cluster));
  static_cast<void>(read_prometheus_json(file, kTo, cluster));
  static_cast<void>(read_smi_table(file, kTo, cluster));
  static_cast<void>(read_smi_monitor(file, kTo, cluster));
  static_cast<void>(read_label_values(file));
  if (auto jobs = read_slurm_jobs(file, kTo)) cluster.add_jobs(*std::move(jobs));
  if (auto nodes = read_slurm_nodes(file)) cluster.add_nodes(*std::move(nodes));
  cluster.finish();
  const FullRate full = [](const ReplicaTrack&) { return std::optional<double>(); };
  static_cast<void>(make_account(cluster, full, {}));
  static_cast<void>(find_stragglers(cluster));
  return 0;
}

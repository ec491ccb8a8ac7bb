// Any bytes as a demand file: every reader sits behind the one door that tells formats apart.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand/describe/characterise.h"
#include "demand/describe/cluster_use.h"
#include "demand/read/import.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadfactor::demand;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto import = import_demand("fuzz", bytes);
  if (!import) return 0;
  constexpr double kYears = 1e8;  // Seconds; longer files make series that only cost memory.
  if (const auto* trace = std::get_if<Trace>(&import->data)) {
    if (trace->span().base() < kYears) characterise(*trace, import->report.gaps);
  } else if (const auto* profile = std::get_if<RateProfile>(&import->data)) {
    if (profile->span().base() < kYears) characterise(*profile);
  } else if (const auto* jobs = std::get_if<JobTrace>(&import->data)) {
    bool is_short = true;
    for (const auto& job : jobs->jobs)
      is_short = is_short && static_cast<double>(job.end) * 1e-9 < kYears;
    if (is_short) measure_cluster_use(*jobs);
  } else if (const auto* metrics = std::get_if<MetricsSnapshot>(&import->data)) {
    histogram_quantile(metrics->input_lengths, 0.5);
    between(*metrics, *metrics, loadfactor::Seconds::from_base(60));
  }
  return 0;
}

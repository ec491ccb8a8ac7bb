#include "serving/simulator/trace_arrivals.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace loadfactor::serving {

TraceArrivals arrivals_of(const demand::Trace& trace, std::int64_t most) {
  TraceArrivals arrivals;
  sim::ArrivalBatch& batch = arrivals.batch;
  const bool has_prefixes = !trace.prefixes.empty();
  for (std::size_t i = 0; i < trace.requests.size(); ++i) {
    if (most > 0 && std::ssize(batch.time) == most) break;
    const demand::Request& request = trace.requests[i];
    if (request.input < 1 || request.output < 1) {
      ++arrivals.dropped;
      continue;
    }
    batch.time.push_back(sim::ticks_of_nanoseconds(request.at));
    batch.tokens_in.push_back(request.input);
    batch.tokens_out.push_back(request.output);
    if (!trace.sessions.empty()) batch.session.push_back(trace.sessions[i] + 1);
    if (!has_prefixes) continue;
    const auto full = static_cast<std::uint32_t>(request.input / trace.prefixes.block_tokens);
    const std::uint32_t begin = trace.prefixes.first[i];
    const std::uint32_t end = std::min(trace.prefixes.first[i + 1], begin + full);
    for (std::uint32_t id = begin; id < end; ++id)
      batch.prefix_blocks.push_back(trace.prefixes.ids[id]);
    batch.prefix_end.push_back(static_cast<std::uint32_t>(batch.prefix_blocks.size()));
  }
  return arrivals;
}

void cut_prefixes(sim::ArrivalBatch& batch, int from, int to) {
  const auto parts = static_cast<std::uint64_t>(from / to);
  std::vector<std::uint64_t> blocks;
  blocks.reserve(batch.prefix_blocks.size() * parts);
  for (const std::uint64_t name : batch.prefix_blocks)
    for (std::uint64_t part = 0; part < parts; ++part) blocks.push_back(name * parts + part);
  batch.prefix_blocks = std::move(blocks);
  for (std::uint32_t& end : batch.prefix_end) end *= static_cast<std::uint32_t>(parts);
}

}  // namespace loadfactor::serving

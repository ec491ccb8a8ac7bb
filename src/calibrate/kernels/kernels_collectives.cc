#include "calibrate/kernels/kernels_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "calibrate/kernels/kernels_fitter.h"
#include "calibrate/kernels/kernels_rows.h"
#include "calibrate/robust_fit.h"
#include "config/csv.h"

namespace loadfactor::calibrate {
namespace {

using collective::Operation;
using collective::Protocol;
using CollectiveSamples = std::vector<const CollectiveSample*>;

struct OperationWord {
  std::string_view word;
  Operation operation;
};
constexpr std::array kOperationWords{OperationWord{"all_reduce", Operation::kAllReduce},
                                     OperationWord{"all_gather", Operation::kAllGather},
                                     OperationWord{"reduce_scatter", Operation::kReduceScatter},
                                     OperationWord{"alltoall", Operation::kAllToAll}};

double element_bytes(std::string_view dtype) {
  return dtype == "int8" ? 1.0 : 2.0;
}

void read_collective_file(const KernelTableFile& file, const LinkResolver& resolve,
                          Diagnostics& diagnostics, std::vector<CollectiveSample>& found) {
  const auto table = config::parse_csv(file.name, file.text, diagnostics);
  if (!table) {
    diagnostics.add(table.error());
    return;
  }
  TableRow row(*table, diagnostics);
  std::map<std::string, std::string> maker;  // The first maker of one-shot kernels per link.
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    row.select(i);
    const auto link = resolve(row.text("system"));
    if (!link) continue;
    CollectiveSample sample{.link = *link, .source = file.source};
    sample.one_shot = row.has("allreduce_dtype");
    for (const OperationWord& word : kOperationWords) {
      if (word.word == row.text("op_name")) sample.operation = word.operation;
    }
    const auto place = maker.try_emplace(link->name, row.text("kernel_source")).first;
    if (sample.one_shot && place->second != row.text("kernel_source")) continue;
    const std::string_view dtype = row.text(sample.one_shot ? "allreduce_dtype" : "nccl_dtype");
    sample.ranks = static_cast<int>(row.whole("num_gpus"));
    sample.bytes = Bytes::from_base(row.number("message_size") * element_bytes(dtype));
    sample.measured = Seconds::from_base(row.number("latency") * 1e-3);
    if (row.sound() && sample.ranks > 1 && sample.measured > Seconds{}) found.push_back(sample);
  }
}

enum class Kind : std::uint8_t { kRing, kInSwitch, kOneShot };
constexpr std::array<std::string_view, 3> kKinds{"ring", "in-switch", "one-shot"};

Seconds predict(const CollectiveSample& sample, const Protocol& protocol, Kind kind) {
  const bool direct = sample.operation == Operation::kAllToAll;
  const double steps = kind == Kind::kInSwitch || direct ? 1.0 : sample.ranks;
  const double share =
      kind == Kind::kInSwitch ? 1.0 : collective::wire_share(sample.operation, sample.ranks);
  return protocol.time(sample.bytes * share, steps, sample.ranks, sample.link.rate);
}

Protocol protocol_of(std::span<const double> x) {
  return {Seconds::from_base(std::exp(x[0]) * 1e-6),
          Seconds::from_base(std::exp(x[1]) * 1e-6),
          Seconds::from_base(std::exp(x[2]) * 1e-6),
          std::exp(x[3]),
          std::exp(x[4]),
          x[5],
          true};
}

std::vector<double> fit_protocol(const CollectiveSamples& samples, Kind kind,
                                 std::span<const double> start = {}) {
  // Microseconds, microseconds, microseconds, two ratios, and the loss of small groups.
  constexpr std::array<double, 6> kStart{6, 0.7, 15, 0.3, 0.7, 0.3};
  constexpr std::array<double, 6> kLow{0.5, 0.01, 0.1, 0.01, 0.02, 0};
  constexpr std::array<double, 6> kHigh{60, 20, 500, 1.2, 1.2, 0};
  RobustProblem problem;
  for (std::size_t i = 0; i < 5; ++i) {
    const double prior = std::log(kStart[i]);
    problem.parameters.push_back(
        {start.empty() ? prior : start[i], std::log(kLow[i]), std::log(kHigh[i]), prior, 2.0});
  }
  const bool one_size = std::all_of(samples.begin(), samples.end(), [&](const auto* s) {
    return s->ranks == samples.front()->ranks;
  });
  const double loss_bound = one_size || kind == Kind::kInSwitch ? 0.0 : 1.0;
  problem.parameters.push_back({start.empty() ? 0.3 * loss_bound : start[5], -3.0 * loss_bound,
                                0.95 * loss_bound, 0.0, 1.0});
  problem.num_residuals = samples.size();
  problem.residuals = [&](std::span<const double> x, std::span<double> residuals) {
    const Protocol protocol = protocol_of(x);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      residuals[i] = std::log(predict(*samples[i], protocol, kind) / samples[i]->measured);
    }
  };
  return fit_robust(problem).values;
}

catalog::CollectiveRow fit_row(const CollectiveSamples& samples, Kind kind) {
  const std::vector<double> whole = fit_protocol(samples, kind);
  constexpr std::size_t kFolds = 5;
  std::vector<double> held_out;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    CollectiveSamples kept;
    CollectiveSamples out;
    for (const auto* sample : samples) {
      const auto size =
          static_cast<std::int64_t>(std::llround(std::log2(sample->bytes / Bytes::from_base(1.0))));
      (shape_number({size}) % kFolds == fold ? out : kept).push_back(sample);
    }
    if (kept.empty() || out.empty()) continue;
    const Protocol protocol = protocol_of(fit_protocol(kept, kind, whole));
    for (const auto* sample : out) {
      held_out.push_back(std::log(predict(*sample, protocol, kind) / sample->measured));
    }
  }
  const Protocol protocol = protocol_of(whole);
  const cost::Spread spread = spread_of(held_out);
  std::set<std::string> sources;
  for (const auto* sample : samples) sources.insert(sample->source);
  catalog::CollectiveRow row;
  row.link = samples.front()->link.name;
  row.algorithm = kKinds[static_cast<std::size_t>(kind)];
  row.operation = collective::kOperations[static_cast<std::size_t>(samples.front()->operation)];
  row.start = protocol.start;
  row.per_rank = protocol.per_rank;
  row.extra = protocol.extra;
  row.low = protocol.low;
  row.fraction = protocol.fraction;
  row.loss = protocol.loss;
  row.points = static_cast<int>(samples.size());
  row.median = spread.median;
  row.p90 = spread.p90;
  row.provenance.kind = catalog::SourceKind::kMeasured;
  row.provenance.sources.assign(sources.begin(), sources.end());
  return row;
}

// Whether the largest groups beat the ring of the smaller ones on long messages.
bool adds_in_switch(const CollectiveSamples& largest, const Protocol& ring) {
  constexpr double kLong = 2e8;
  std::vector<double> gains;
  for (const auto* sample : largest) {
    if (sample->bytes < Bytes::from_base(kLong)) continue;
    gains.push_back(predict(*sample, ring, Kind::kRing) / sample->measured);
  }
  if (gains.empty()) return false;
  std::nth_element(gains.begin(), gains.begin() + static_cast<std::ptrdiff_t>(gains.size() / 2),
                   gains.end());
  return gains[gains.size() / 2] > 1.1;
}

void fit_all_reduce(const CollectiveSamples& samples, std::vector<catalog::CollectiveRow>& rows) {
  int most = 0;
  for (const auto* sample : samples) most = std::max(most, sample->ranks);
  CollectiveSamples smaller;
  CollectiveSamples largest;
  for (const auto* sample : samples) (sample->ranks < most ? smaller : largest).push_back(sample);
  std::set<int> sizes;
  for (const auto* sample : smaller) sizes.insert(sample->ranks);
  // One size of group cannot tell a ring's rate from what small groups lose of it.
  if (sizes.size() < 2 ||
      !adds_in_switch(largest, protocol_of(fit_protocol(smaller, Kind::kRing)))) {
    rows.push_back(fit_row(samples, Kind::kRing));
    return;
  }
  rows.push_back(fit_row(smaller, Kind::kRing));
  rows.push_back(fit_row(largest, Kind::kInSwitch));
}

}  // namespace

std::vector<CollectiveSample> read_collective_tables(std::span<const KernelTableFile> files,
                                                     const LinkResolver& resolve,
                                                     Diagnostics& diagnostics) {
  std::vector<CollectiveSample> found;
  for (const KernelTableFile& file : files) read_collective_file(file, resolve, diagnostics, found);
  return found;
}

std::vector<catalog::CollectiveRow> fit_collectives(std::span<const CollectiveSample> samples) {
  std::map<std::tuple<std::string, bool, Operation>, CollectiveSamples> groups;
  for (const CollectiveSample& sample : samples) {
    groups[{sample.link.name, sample.one_shot, sample.operation}].push_back(&sample);
  }
  std::vector<catalog::CollectiveRow> rows;
  for (const auto& [key, group] : groups) {
    if (std::get<1>(key)) {
      rows.push_back(fit_row(group, Kind::kOneShot));
    } else if (std::get<2>(key) == Operation::kAllReduce) {
      fit_all_reduce(group, rows);
    } else {
      rows.push_back(fit_row(group, Kind::kRing));
    }
  }
  return rows;
}

std::string collective_rows_yaml(std::span<const catalog::CollectiveRow> rows,
                                 std::string_view date) {
  std::string text;
  for (const catalog::CollectiveRow& row : rows) {
    text += fmt::format(
        "  - {{link: {}, algorithm: {}, operation: {},\n"
        "     start: {:.2f} us, per_rank: {:.2f} us, extra: {:.2f} us,\n"
        "     low: {:.3f}, fraction: {:.3f}, loss: {:.2f},\n"
        "     points: {}, median: {:.1f} %, p90: {:.1f} %,\n"
        "     kind: measured, source: [{}], date: {}}}\n",
        row.link, row.algorithm, row.operation, row.start / Seconds::from_base(1e-6),
        row.per_rank / Seconds::from_base(1e-6), row.extra / Seconds::from_base(1e-6), row.low,
        row.fraction, row.loss, row.points, row.median * 100.0, row.p90 * 100.0,
        fmt::join(row.provenance.sources, ", "), date);
  }
  return text;
}

}  // namespace loadfactor::calibrate

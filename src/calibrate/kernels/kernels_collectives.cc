#include "calibrate/kernels/kernels_collectives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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
    sample.in_switch = link->sums && dtype != "int8";
    sample.ranks = static_cast<int>(row.whole("num_gpus"));
    sample.bytes = Bytes::from_base(row.number("message_size") * element_bytes(dtype));
    sample.measured = Seconds::from_base(row.number("latency") * 1e-3);
    if (row.sound() && sample.ranks > 1 && sample.measured > Seconds{}) found.push_back(sample);
  }
}

enum class Kind : std::uint8_t { kRing, kInSwitch };
constexpr std::array<std::string_view, 2> kKinds{"ring", "in-switch"};
// Engines hand longer messages to the library.
constexpr Bytes kLongestOwn = Bytes::from_base(8.0 * 1024 * 1024);
// The library sends shorter ones around a ring even where the switch adds up.
constexpr Bytes kShortestInSwitch = Bytes::from_base(1024.0 * 1024);

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
  if (one_size || kind == Kind::kInSwitch) {
    const double loss = kind == Kind::kInSwitch ? 0.0 : samples.front()->link.usual_loss;
    problem.parameters.push_back({loss, loss, loss, loss, 1.0});
  } else {
    problem.parameters.push_back({start.empty() ? 0.3 : start[5], -3.0, 0.95, 0.0, 1.0});
  }
  problem.num_residuals = samples.size();
  problem.residuals = [&](std::span<const double> x, std::span<double> residuals) {
    const Protocol protocol = protocol_of(x);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      residuals[i] = std::log(predict(*samples[i], protocol, kind) / samples[i]->measured);
    }
  };
  return fit_robust(problem).values;
}

// Errors of the samples, each message size left out of the fit in turn. `fit` takes samples and
// returns what predicts one.
template <typename Fit>
cost::Spread held_out_spread(const CollectiveSamples& samples, const Fit& fit) {
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
    const auto predicted = fit(kept);
    for (const auto* sample : out)
      held_out.push_back(std::log(predicted(*sample) / sample->measured));
  }
  return spread_of(held_out);
}

catalog::CollectiveRow row_of(const CollectiveSamples& samples, std::string_view algorithm,
                              const Protocol& protocol, const cost::Spread& spread) {
  std::set<std::string> sources;
  for (const auto* sample : samples) sources.insert(sample->source);
  catalog::CollectiveRow row;
  row.link = samples.front()->link.name;
  row.algorithm = algorithm;
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

catalog::CollectiveRow fit_row(const CollectiveSamples& samples, Kind kind) {
  const std::vector<double> whole = fit_protocol(samples, kind);
  const cost::Spread spread = held_out_spread(samples, [&](const CollectiveSamples& kept) {
    return [protocol = protocol_of(fit_protocol(kept, kind, whole)),
            kind](const CollectiveSample& sample) { return predict(sample, protocol, kind); };
  });
  return row_of(samples, kKinds[static_cast<std::size_t>(kind)], protocol_of(whole), spread);
}

// The two kernels that an engine has for short sums: in one shot every rank reads all buffers, in
// two every rank sums a share of them and then reads the others' sums. The faster one runs.
struct OwnKernels {
  Protocol one;
  Protocol two;

  Seconds operator()(const CollectiveSample& sample) const {
    const auto time = [&](const Protocol& protocol, double share) {
      return protocol.time(sample.bytes * share, sample.ranks, sample.ranks, sample.link.rate);
    };
    return std::min(time(one, collective::one_shot_share(sample.ranks)),
                    time(two, collective::wire_share(sample.operation, sample.ranks)));
  }
};

OwnKernels own_kernels_of(std::span<const double> x) {
  const auto line = [](std::span<const double> of) {
    const double fraction = std::exp(of[2]);
    return Protocol{.start = Seconds::from_base(std::exp(of[0]) * 1e-6),
                    .per_rank = Seconds::from_base(std::exp(of[1]) * 1e-6),
                    .low = fraction,
                    .fraction = fraction,
                    .fitted = true};
  };
  return {line(x.first(3)), line(x.subspan(3))};
}

OwnKernels fit_own_kernels(const CollectiveSamples& samples) {
  // Microseconds, microseconds and a ratio of the one, then of the other.
  constexpr std::array<double, 6> kStart{3, 0.2, 0.6, 6, 0.5, 0.6};
  constexpr std::array<double, 6> kLow{0.5, 0.01, 0.02, 0.5, 0.01, 0.02};
  constexpr std::array<double, 6> kHigh{60, 20, 1.2, 60, 20, 1.2};
  RobustProblem problem;
  for (std::size_t i = 0; i < kStart.size(); ++i) {
    const double prior = std::log(kStart[i]);
    problem.parameters.push_back({prior, std::log(kLow[i]), std::log(kHigh[i]), prior, 2.0});
  }
  problem.num_residuals = samples.size();
  problem.residuals = [&](std::span<const double> x, std::span<double> residuals) {
    const OwnKernels kernels = own_kernels_of(x);
    for (std::size_t i = 0; i < samples.size(); ++i)
      residuals[i] = std::log(kernels(*samples[i]) / samples[i]->measured);
  };
  return own_kernels_of(fit_robust(problem).values);
}

// Whether an engine's sums are kernels of its own: over a bus its tables hold the library's times.
bool beats_library(const CollectiveSamples& own, const CollectiveSamples& library) {
  constexpr Bytes kShort = Bytes::from_base(65536.0);
  constexpr double kAlike = 0.9;
  std::map<std::pair<int, Bytes>, Seconds> times;
  for (const auto* sample : library) times[{sample->ranks, sample->bytes}] = sample->measured;
  std::vector<double> ratios;
  for (const auto* sample : own) {
    const auto found = times.find({sample->ranks, sample->bytes});
    if (sample->bytes <= kShort && found != times.end())
      ratios.push_back(sample->measured / found->second);
  }
  if (ratios.empty()) return true;
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle < kAlike;
}

void fit_own_all_reduce(const CollectiveSamples& all, const CollectiveSamples& library,
                        std::vector<catalog::CollectiveRow>& rows) {
  CollectiveSamples samples;
  std::copy_if(all.begin(), all.end(), std::back_inserter(samples),
               [](const auto* sample) { return sample->bytes <= kLongestOwn; });
  if (samples.empty() || !beats_library(samples, library)) return;
  const OwnKernels kernels = fit_own_kernels(samples);
  const cost::Spread spread = held_out_spread(samples, fit_own_kernels);
  rows.push_back(row_of(samples, "one-shot", kernels.one, spread));
  rows.push_back(row_of(samples, "two-shot", kernels.two, spread));
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
  for (const auto* sample : samples)
    (sample->ranks < most || !sample->in_switch ? smaller : largest).push_back(sample);
  std::set<int> sizes;
  for (const auto* sample : smaller) sizes.insert(sample->ranks);
  // One size of group cannot tell a ring's rate from what small groups lose of it.
  if (sizes.size() < 2 ||
      !adds_in_switch(largest, protocol_of(fit_protocol(smaller, Kind::kRing)))) {
    rows.push_back(fit_row(samples, Kind::kRing));
    return;
  }
  rows.push_back(fit_row(smaller, Kind::kRing));
  CollectiveSamples added;
  std::copy_if(largest.begin(), largest.end(), std::back_inserter(added),
               [](const auto* sample) { return sample->bytes >= kShortestInSwitch; });
  rows.push_back(fit_row(added, Kind::kInSwitch));
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
      const auto library = groups.find({std::get<0>(key), false, std::get<2>(key)});
      fit_own_all_reduce(group, library == groups.end() ? CollectiveSamples{} : library->second,
                         rows);
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

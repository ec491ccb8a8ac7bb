// Asks a Prometheus server for a window, metric by metric, in pieces.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/calendar.h"
#include "base/error_codes.h"
#include "base/text/stamp_text.h"
#include "engine/observe/observe.h"

namespace loadfactor::engine {
namespace {

using observe::ReadCount;

// A server refuses more points of one series than this.
constexpr double kMostPoints = 11000;
// What a piece should weigh: small enough to hold, large enough to be quick.
constexpr double kGoodBytes = 16e6;
constexpr double kFirstPiece = 6 * kHour.base();

// Functions over a range lose the name of the metric.
class NamedSink final : public observe::SampleSink {
 public:
  NamedSink(std::string metric, observe::SampleSink& sink)
      : metric_(std::move(metric)), sink_(&sink) {}
  int series(std::string_view /*metric*/, const observe::Labels& labels) override {
    return sink_->series(metric_, labels);
  }
  void sample(int series, double time, double value) override {
    sink_->sample(series, time, value);
  }

 private:
  std::string metric_;
  observe::SampleSink* sink_;
};

struct Piece {
  std::string query;
  double step;
};

// States and buckets change slowly, or only their totals are wanted.
Piece piece_of(const observe::Signal& signal, double step) {
  constexpr double kSlow = 600;
  const bool is_slow =
      signal.role >= observe::Role::kPodInfo || signal.kind == observe::SignalKind::kHistogram;
  Piece piece{signal.metric, is_slow ? std::max(step, kSlow) : step};
  if (signal.role == observe::Role::kPodPhase) piece.query += "{phase=\"Failed\"}";
  constexpr double kMinute = 60;
  if (observe::is_gpu_role(signal.role) && signal.kind == observe::SignalKind::kGauge &&
      step > kMinute)
    piece.query = fmt::format("avg_over_time({}[{}s])", signal.metric, std::lround(step));
  return piece;
}

std::string number_text(double value) {
  return fmt::format("{:.3f}", value);
}

class FeedReader {
 public:
  FeedReader(const ObserveInputs& inputs, observe::Cluster& cluster)
      : inputs_(inputs), cluster_(cluster), grid_(cluster.grid()) {}

  Result<ReadCount> read() {
    TRY(const std::string body,
        inputs_.feed->get("/api/v1/label/__name__/values",
                          {{"start", number_text(grid_.from)}, {"end", number_text(grid_.to)}}));
    TRY(const std::vector<std::string> names,
        observe::read_label_values({inputs_.feed->name(), body}));
    observe::SignalTable table;
    std::vector<const observe::Signal*> wanted;
    for (const std::string& name : names)
      if (const observe::Signal* signal = table.find(name))
        wanted.push_back(signal);
      else
        cluster_.note_renamed(name);
    if (wanted.empty())
      return Error{.code = lf::kNothingUsable,
                   .message = fmt::format("{} has no metric of GPUs or of engines from {} to {}",
                                          inputs_.feed->name(), stamp_text(grid_.from),
                                          stamp_text(grid_.to)),
                   .hint =
                       "it should scrape the exporter of the GPUs (dcgm-exporter, AMD's "
                       "device-metrics-exporter) and the engines that serve; --since and --now say "
                       "when"};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      TRY(const ReadCount count, read_signal(*wanted[i], i, wanted.size()));
      all_.samples += count.samples;
      if (all_.warning.empty()) all_.warning = count.warning;
    }
    return all_;
  }

 private:
  Result<ReadCount> read_signal(const observe::Signal& signal, std::size_t index, std::size_t of) {
    const Piece piece = piece_of(signal, grid_.step);
    NamedSink sink(signal.metric, cluster_);
    ReadCount all;
    double length = std::min(kFirstPiece, kMostPoints * piece.step);
    for (double from = grid_.from; from < grid_.to;) {
      const double share = (from - grid_.from) / (grid_.to - grid_.from);
      if (inputs_.go_on &&
          !inputs_.go_on((static_cast<double>(index) + share) / static_cast<double>(of)))
        return Error{.code = lf::kCancelled, .message = "cancelled while reading the server"};
      // Whole steps, so that pieces meet.
      const double steps = std::max(1.0, std::floor(length / piece.step));
      const double to = std::min(grid_.to, from + (steps - 1) * piece.step);
      const auto body =
          inputs_.feed->get("/api/v1/query_range", {{"query", piece.query},
                                                    {"start", number_text(from)},
                                                    {"end", number_text(to)},
                                                    {"step", number_text(piece.step)}});
      if (!body) {
        if (body.error().code != lf::kTooLarge || steps <= 1) return body.error();
        length = piece.step * std::max(1.0, std::floor(steps / 4));
        continue;
      }
      TRY(const ReadCount count,
          observe::read_prometheus_json({inputs_.feed->name(), *body}, to, sink));
      all.samples += count.samples;
      if (all.warning.empty()) all.warning = count.warning;
      from = to + piece.step;
      const double bytes = std::max(1.0, static_cast<double>(body->size()));
      length = std::clamp(length * std::clamp(kGoodBytes / bytes, 0.25, 4.0), piece.step,
                          kMostPoints * piece.step);
    }
    return all;
  }

  const ObserveInputs& inputs_;
  observe::Cluster& cluster_;
  const observe::Grid& grid_;
  ReadCount all_;
};

}  // namespace

Result<ReadCount> read_feed(const ObserveInputs& inputs, observe::Cluster& cluster) {
  return FeedReader(inputs, cluster).read();
}

}  // namespace loadfactor::engine

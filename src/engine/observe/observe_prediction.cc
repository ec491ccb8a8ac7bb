// What the model predicts of a service, and how that differs from what was measured.
#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "engine/observe/observe.h"
#include "observe/thresholds.h"

namespace loadfactor::engine {
namespace {

// How far the full rate may be from the one that is predicted, and the load factor with it.
void set_full_range(const EstimateOf<TokensPerSecond>& full, PredictedService& predicted,
                    ServiceRow& row) {
  const double rate = full.value().base();
  if (rate <= 0) return;
  row.full_range = {full.low().base() / rate, full.high().base() / rate};
  const double load = row.tokens_out_rate / rate;
  const LoadRange range = row.range_of(load);
  predicted.load_factor = {load, range.low, range.high, full.basis(), full.source()};
}

std::string milliseconds(double seconds) {
  return fmt::format("{:.3g} ms", 1000 * seconds);
}

// Measured times that lie outside of what is predicted, by more than the buckets of a histogram are
// coarse, and what of the metrics may be the cause.
void note_gap(const ServeAnswer& answer, const ServiceRow& row, const Core& engine,
              std::vector<Notice>& notices) {
  const double measured = *row.tpot->p50;
  const EstimateOf<Seconds>& tpot = answer.tpot;
  const double coarse = 1 + observe::Thresholds()["prediction_gap"];
  const bool is_slower = measured > tpot.high().base() * coarse;
  if (!is_slower && measured * coarse >= tpot.low().base()) return;
  Notice notice{.id = is_slower ? "slower-than-predicted" : "faster-than-predicted",
                .arguments = {{"service", row.name},
                              {"scenario", answer.scenario},
                              {"measured", milliseconds(measured)},
                              {"predicted", milliseconds(tpot.value().base())},
                              {"low", milliseconds(tpot.low().base())},
                              {"high", milliseconds(tpot.high().base())},
                              {"times", fmt::format("{:.2g}", measured / tpot.value().base())}}};
  const auto chip = engine.catalog().find_accelerator(row.accelerator);
  const bool is_other = chip && (*chip)->name != answer.accelerator;
  if (is_other) {
    notice.arguments.push_back({"seen", (*chip)->name});
    notice.arguments.push_back({"planned", answer.accelerator});
  }
  if (is_slower && row.preemptions > 0)
    notice.arguments.push_back({"preemptions", fmt::format("{:.0f}", row.preemptions)});
  else if (!is_other)
    notice.arguments.push_back({"unexplained", ""});
  notices.push_back(std::move(notice));
}

// Where what was measured cannot be what was predicted.
void note_prediction(const ServeAnswer& answer, ServiceRow& row, const Core& engine,
                     std::vector<Notice>& notices) {
  if (!answer.feasible) {
    notices.push_back(
        {.id = "beyond-prediction",
         .arguments = {{"service", row.name},
                       {"scenario", answer.scenario},
                       {"did", fmt::format("{:.0f}", row.tokens_out_rate)},
                       {"full", fmt::format("{:.0f}", answer.saturated.value().base())}}});
    return;
  }
  if (!row.tpot || !row.tpot->p50 || answer.tpot.value() <= Seconds()) return;
  row.error = *row.tpot->p50 / answer.tpot.value().base() - 1;
  note_gap(answer, row, engine, notices);
}

}  // namespace

void predict_service(const ServeInputs& planned, const Core& engine, ServiceRow& row,
                     std::vector<Notice>& notices) {
  if (row.requests_rate <= 0 || row.tokens_out <= 0) return;
  ServeInputs inputs = planned;
  constexpr double kLeast = 1;
  inputs.trace_bytes = {};
  inputs.scenario = planned.scenario.with(
      {{"serve.demand.trace"},
       {"serve.demand.scale"},
       {"serve.demand.shape"},
       {"serve.demand.requests_per_second", row.requests_rate},
       {"serve.demand.tokens_in", any(Tokens::from_base(std::max(kLeast, row.tokens_in)))},
       {"serve.demand.tokens_out", any(Tokens::from_base(std::max(kLeast, row.tokens_out)))},
       {"serve.deployment.replicas", static_cast<std::int64_t>(row.replicas)}});
  Diagnostics refused;
  const auto answer = engine.serve(inputs, refused);
  if (!answer) {
    const std::string why = refused.empty() ? std::string() : refused.errors().front().message;
    notices.push_back({.id = "not-predicted", .arguments = {{"service", row.name}, {"why", why}}});
    return;
  }
  PredictedService predicted;
  predicted.scenario = answer->scenario;
  predicted.full_rate = answer->saturated;
  predicted.running = answer->running;
  predicted.is_feasible = answer->feasible;
  if (answer->feasible) {
    predicted.ttft = answer->ttft;
    predicted.tpot = answer->tpot;
  }
  set_full_range(answer->saturated, predicted, row);
  row.predicted = predicted;
  note_prediction(*answer, row, engine, notices);
}

}  // namespace loadfactor::engine

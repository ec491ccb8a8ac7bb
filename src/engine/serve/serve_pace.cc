#include "engine/serve/serve_pace.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/serve/serve_figures.h"

namespace loadfactor::engine {
namespace {

using serving::Load;
using serving::LoadFigures;
using serving::LoadKind;
using serving::Pool;

// A run that is farther from the model than this is of another deployment.
constexpr double kLeastPace = 0.2;
constexpr double kMostPace = 5.0;

double metric_value(const std::string& metric, const LoadFigures& figures, double gpus) {
  constexpr double kMilliseconds = 1e3;
  if (metric == "tpot_ms") return figures.tpot.base() * kMilliseconds;
  if (metric == "ttft_ms") return figures.ttft.base() * kMilliseconds;
  if (metric == "latency_ms") return figures.latency.base() * kMilliseconds;
  if (metric == "req_s") return figures.request_rate.base();
  if (metric == "tok_s_per_gpu") return figures.output_rate.base() / gpus;
  if (metric == "total_output_tok_s") return figures.output_rate.base();
  return 0;
}

// A name as engines take it, `owner/name`, or the folder that holds the weights.
const catalog::ModelSpec* find_named(const catalog::Catalog& catalog, const std::string& named) {
  for (const std::string& word : {named, named.substr(named.rfind('/') + 1)})
    if (const auto found = catalog.find_model(word)) return *found;
  return nullptr;
}

bool is_apart(double measured, double asked) {
  constexpr double kAlike = 1.1;
  return measured > 0 && (measured > kAlike * asked || asked > kAlike * measured);
}

}  // namespace

std::vector<Notice> anchor_differences(const ServeSetup& setup, const catalog::Catalog& catalog,
                                       const ServeAnchor& anchor) {
  std::vector<Notice> notices;
  if (!anchor.model.empty()) {
    const auto* named = find_named(catalog, anchor.model);
    if (named == nullptr)
      notices.push_back({.id = "other-run",
                         .arguments = {{"unknown", anchor.model}, {"model", setup.model->name}}});
    else if (named->name != setup.model->name)
      notices.push_back({.id = "other-run",
                         .arguments = {{"measured", named->name}, {"model", setup.model->name}}});
  }
  const auto tokens = [](double count) { return fmt::format("{:.0f}", count); };
  if (is_apart(anchor.tokens_in, setup.tokens_in) || is_apart(anchor.tokens_out, setup.tokens_out))
    notices.push_back(
        {.id = "other-run",
         .arguments = {
             {"measured_in", tokens(anchor.tokens_in > 0 ? anchor.tokens_in : setup.tokens_in)},
             {"measured_out", tokens(anchor.tokens_out > 0 ? anchor.tokens_out : setup.tokens_out)},
             {"tokens_in", tokens(setup.tokens_in)},
             {"tokens_out", tokens(setup.tokens_out)}}});
  return notices;
}

Result<Pace> anchored_pace(const ServeSetup& setup, Pool pool, const ServeAnchor& anchor,
                           double asked_batch) {
  Load load = load_of(setup, anchor.concurrency > 0 ? LoadKind::kClosedLoop
                             : anchor.rate > 0      ? LoadKind::kOpenLoop
                                                    : LoadKind::kOffline);
  load.concurrency = anchor.concurrency;
  load.rate = Hertz::from_base(anchor.rate);
  if (anchor.tokens_in > 0) load.input = anchor.tokens_in;
  if (anchor.tokens_out > 0) load.output = anchor.tokens_out;
  if (load.kind == LoadKind::kOffline) load.prompts = 0;
  const auto predicted = [&](double pace) {
    pool.pace = pace;
    return metric_value(anchor.metric, serving::closed_form(pool, load, setup.constants),
                        pool.gpus);
  };
  const double before = predicted(1);
  if (!(before > 0) || !(anchor.value > 0)) {
    return Error{
        .code = lf::kBadAnchor,
        .message = fmt::format("the anchor '{}' gives no figure this deployment can be scaled by",
                               anchor.source),
        .hint = "write `tpot_ms=12.5,concurrency=16` or `total_output_tok_s=9000`"};
  }
  // A figure that the pace of steps does not change says nothing of them.
  constexpr double kSlower = 1.1;
  constexpr double kLeastChange = 1.01;
  if (std::abs(std::log(predicted(kSlower) / before)) < std::log(kLeastChange)) {
    return Error{.code = lf::kBadAnchor,
                 .message = fmt::format("the anchor '{}' would be the same at any speed: its rate "
                                        "is that of its arrivals",
                                        anchor.source),
                 .hint = "give a time (tpot_ms=12.5,rate=4), or a rate at a concurrency"};
  }
  pool.pace = 1;
  const double batch = serving::closed_form(pool, load, setup.constants).batch;
  const serving::AnchorPoint measured{batch, load.output};
  const double share = serving::carried_share(measured, {asked_batch, setup.tokens_out});
  const double wanted = before * std::pow(anchor.value / before, share);
  double low = kLeastPace, high = kMostPace;
  const bool falls = predicted(high) < predicted(low);
  for (int i = 0; i < 40; ++i) {
    const double middle = std::sqrt(low * high);
    ((predicted(middle) > wanted) == falls ? low : high) = middle;
  }
  return Pace{std::sqrt(low * high), measured};
}

bool is_far(const Pace& pace) {
  constexpr double kAtBound = 0.01;
  return pace.factor < kLeastPace * (1 + kAtBound) || pace.factor > kMostPace * (1 - kAtBound);
}

}  // namespace loadfactor::engine

#include "engine/train/train_goodput.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "catalog/load/fact_loader.h"
#include "catalog/used_fact.h"
#include "economics/unit_cost.h"
#include "engine/train/missed_limits.h"
#include "engine/train/run_prices.h"

namespace loadfactor::engine {
namespace {

void add_facts(const std::vector<const catalog::Fact*>& facts, TrainAnswer& answer) {
  for (const auto* fact : facts) {
    UsedFact used = catalog::used_fact(*fact);
    used.what = fact->name;
    answer.facts.push_back(std::move(used));
  }
}

TrainGoodput describe(const PaidTime& paid, Seconds step) {
  const auto& g = paid.goodput;
  TrainGoodput out;
  out.value = paid.effective;
  out.mtbf = g.mtbf;
  out.interval = g.interval;
  if (step > Seconds()) out.interval_steps = training::steps_of(g.interval, step);
  out.stall = g.stall;
  out.checkpoint = g.checkpoint;
  out.spare_nodes = g.spare_nodes;
  out.losses = losses_of(g);
  return out;
}

}  // namespace

catalog::RentTerm rent_term(const config::Money& money) {
  using catalog::RentTerm;
  for (const auto& option : money.options) {
    switch (option.value) {
      case OptionKind::kOnDemand:
        return RentTerm::kOnDemand;
      case OptionKind::kReserved1y:
        return RentTerm::kReserved1y;
      case OptionKind::kReserved3y:
        return RentTerm::kReserved3y;
      case OptionKind::kSpot:
        return RentTerm::kSpot;
      default:
        break;
    }
  }
  return RentTerm::kOnDemand;
}

namespace {

// The phrase of a term.
Notice term_phrase(catalog::RentTerm term) {
  switch (term) {
    case catalog::RentTerm::kSpot:
      return {.id = "spot"};
    case catalog::RentTerm::kReserved1y:
      return {.id = "reserved-1y"};
    case catalog::RentTerm::kReserved3y:
      return {.id = "reserved-3y"};
    case catalog::RentTerm::kOnDemand:
      break;
  }
  return {.id = "on-demand"};
}

}  // namespace

std::optional<Notice> note_rent(const catalog::Catalog& catalog, const TrainSetup& setup) {
  const auto& chip = *setup.job.chip;
  const auto term = rent_term(setup.scenario.money);
  const auto rent = economics::find_offered_rent(catalog.prices(), chip.name, term);
  if (!rent) return std::nullopt;
  if (rent->term == term || lists_machines(setup.scenario.money)) return std::nullopt;
  return Notice{
      .id = "rent-of-another-term",
      .arguments = {{"accelerator", chip.title},
                    {"term", "", {term_phrase(term)}},
                    {"price", fmt::format("{:.2f} USD/h", rent->rent.value().base() * 3600.0)},
                    {"offered", "", {term_phrase(rent->term)}}}};
}

std::optional<Notice> note_api_alone(const TrainSetup& setup) {
  const auto& money = setup.scenario.money;
  if (money.options.empty() || lists_machines(money)) return std::nullopt;
  return Notice{.id = "api-sells-no-training"};
}

std::optional<Notice> note_interval(const catalog::Catalog& catalog, const TrainSetup& setup,
                                    const TrainGoodput& goodput) {
  constexpr std::int64_t kFewSteps = 5;
  const Seconds minute = Seconds::from_base(60);
  const auto& asked = setup.ask().failures.interval;
  const std::string every = fmt::format("{} ({})", format_display(any(goodput.interval)),
                                        counted(goodput.interval_steps, "step"));
  if (asked && asked->value < goodput.interval * (1.0 - 1e-9))
    return Notice{.id = "checkpoint-interval",
                  .arguments = {{"asked", format_display(any(asked->value))}, {"every", every}}};
  if (goodput.interval >= minute && goodput.interval_steps >= kFewSteps) return std::nullopt;
  const auto* usual = catalog::find_fact(catalog.hazards(), "checkpoint-interval");
  Notice notice{.id = "checkpoint-interval",
                .arguments = {{"every", every}, {asked ? "was_asked" : "loses_least", ""}}};
  if (usual != nullptr)
    notice.arguments.push_back({"usual", fmt::format("{:.3g} {}", usual->value, usual->unit)});
  return notice;
}

std::optional<Notice> note_short_run(const TrainSetup& setup, std::int64_t global_batch) {
  const auto& tokens = setup.ask().tokens;
  const double step = static_cast<double>(global_batch) * static_cast<double>(setup.job.sequence);
  if (!tokens || tokens->value.base() >= step) return std::nullopt;
  return Notice{.id = "less-than-a-step",
                .arguments = {{"tokens", format_short_count(tokens->value.base())},
                              {"step", format_short_count(step)}}};
}

namespace {

RunOption describe(const RunPrice& way, const std::optional<EstimateOf<Seconds>>& work) {
  RunOption out;
  out.kind = way.kind;
  out.rate = way.rate;
  out.gpus = way.paid.paid_gpus();
  out.goodput = way.paid.effective;
  out.share = way.paid.share(work ? std::optional(work->value()) : std::nullopt);
  out.commitment = way.term.commitment;
  if (!work) return out;
  out.duration = way.paid.run(*work);
  out.cost = way.cost(*work);
  return out;
}

// A token's, where the run has no length.
EstimateOf<DollarsPerToken> token_cost(const RunPrice& way, const TrainAnswer& answer) {
  const auto one = EstimateOf<Tokens>::exact(Tokens::from_base(1.0), Basis::kModelled, {});
  const auto pace = EstimateOf<Seconds>(divide(one.erased(), answer.tokens_per_s.erased()));
  const auto rent = economics::rent_cost(way.rate, way.paid.paid_gpus(), way.paid.run(pace));
  return EstimateOf<DollarsPerToken>(divide(rent.erased(), one.erased()));
}

void add_cost(const RunPrice& way, const std::optional<EstimateOf<Seconds>>& work,
              TrainAnswer& answer) {
  answer.option = way.kind;
  answer.commitment = way.term.commitment;
  if (work) answer.cost = way.cost(*work);
  if (!answer.cost || !answer.tokens) {
    answer.cost_per_token = token_cost(way, answer);
    return;
  }
  const auto all = EstimateOf<Tokens>::exact(*answer.tokens, Basis::kModelled, {});
  answer.cost_per_token = EstimateOf<DollarsPerToken>(divide(answer.cost->erased(), all.erased()));
}

// Cautions where fewer spares than pay for themselves make the job wait for repairs.
std::optional<Notice> note_spares(const TrainSetup& setup, const PaidTime& paid) {
  constexpr double kWorthSaying = 0.01;
  const auto& g = paid.goodput;
  if (!setup.ask().failures.spares || g.spare_nodes >= g.best_spares) return std::nullopt;
  if (g.with_spares - g.value < kWorthSaying) return std::nullopt;
  return Notice{.id = "few-spares",
                .arguments = {{g.spare_nodes > 0 ? "replaced" : "none_replaced",
                               g.spare_nodes > 0 ? std::to_string(g.spare_nodes) : ""},
                              {"in_repair", fmt::format("{:.2g} nodes", g.in_repair)},
                              {"waiting", percent_text(g.waiting)},
                              {"spares", counted(g.best_spares, "spare node")},
                              {"goodput", percent_text(g.with_spares)}}};
}

// The time on so many GPUs.
EstimateOf<GpuTime> on(double gpus, const EstimateOf<Seconds>& time) {
  const Gpus of = Gpus::from_base(gpus);
  return {time.value() * of, time.low() * of, time.high() * of, time.basis(), time.source()};
}

// GPU time of a trillion tokens, by the steady step and as it is paid for.
WholeRun whole_run_of(const PaidTime& paid, const std::optional<EstimateOf<Seconds>>& work,
                      const TrainAnswer& answer) {
  constexpr Tokens kTrillion = Tokens::from_base(1e12);
  const auto seconds = work ? std::optional(work->value()) : std::nullopt;
  WholeRun run{
      .share = paid.share(seconds),
      .losses = paid.losses_of(seconds),
      .usual_interval = paid.seldom > 0 ? paid.losses.practised(paid.goodput.interval) : Seconds(),
      .unexplained = paid.losses.unexplained,
      .known_from = paid.losses.known_from};
  const Tokens tokens = answer.tokens.value_or(kTrillion);
  const auto& rate = answer.tokens_per_s;
  const EstimateOf<Seconds> steps =
      work.value_or(EstimateOf<Seconds>{tokens / rate.value(), tokens / rate.high(),
                                        tokens / rate.low(), rate.basis(), rate.source()});
  const double times = kTrillion / tokens;
  const auto whole =
      work ? paid.run(*work) : EstimateOf<Seconds>(divide(steps.erased(), run.share.erased()));
  run.steady = on(answer.layout.gpus * times, steps);
  run.paid = on(answer.paid_gpus * times, whole);
  return run;
}

// What going on with fewer nodes saves against the better of waiting and spares.
Notice note_elastic(const PaidTime& paid, const TrainAnswer& answer) {
  const double saves = paid.goodput.elastic_saves;
  Notice notice{.id = "elastic"};
  if (saves <= 1.0) {
    notice.arguments = {{"waits", ""}};
    return notice;
  }
  notice.arguments = {{"share", percent_text(1.0 - 1.0 / saves)},
                      {"spares", counted(paid.goodput.spare_nodes, "spare node")}};
  if (answer.cost)
    notice.arguments.push_back({"cost", format_display(any(answer.cost->value() * (saves - 1.0)))});
  return notice;
}

// Days and dollars of a run that does not end would only look like figures.
void say_stalled(const TrainSetup& setup, const PaidTime& paid, TrainAnswer& answer) {
  answer.stalled = stall_of(paid, setup, only_spot(setup.scenario.money));
  answer.duration.reset();
  answer.notices.push_back({.id = "no-progress"});
}

}  // namespace

RunSize size_of(const TrainAnswer& answer) {
  const TrainLayout& layout = answer.layout;
  // Experts that are spread over copies are whole only with all of these.
  const int copy = layout.pp * std::max(layout.tp * layout.cp, layout.ep);
  const std::int64_t sequences = std::int64_t{layout.dp} * layout.micro_batch;
  return {.gpus = answer.layout.gpus,
          .step = answer.step_time.value(),
          .work = answer.duration ? std::optional(answer.duration->value()) : std::nullopt,
          .copy_gpus = std::min(copy, layout.gpus),
          .micro_batches =
              sequences > 0 ? std::max<std::int64_t>(1, answer.global_batch / sequences) : 1};
}

void add_goodput(const catalog::Catalog& catalog, const TrainSetup& setup, TrainAnswer& answer,
                 PayRule rule) {
  add_goodput(run_prices(catalog, setup, size_of(answer)), setup, answer, rule);
}

void add_goodput(const RunPrices& prices, const TrainSetup& setup, TrainAnswer& answer,
                 PayRule rule) {
  const auto work = answer.duration;
  const auto seconds = work ? std::optional<Seconds>(work->value()) : std::nullopt;
  const RunPrice* way = prices.chosen(seconds, rule);
  const PaidTime& paid = prices.paid(seconds, rule);
  answer.paid_gpus = paid.paid_gpus();
  if (!paid.facts.empty()) answer.goodput = describe(paid, answer.step_time.value());
  add_facts(paid.facts, answer);
  if (prices.stalls()) return say_stalled(setup, paid, answer);
  if (const auto spares = note_spares(setup, paid)) answer.notices.push_back(*spares);
  if (!paid.facts.empty()) answer.whole = whole_run_of(paid, work, answer);
  if (work) answer.duration = paid.run(*work);
  if (const auto note = note_prices(prices, answer.accelerator_title, seconds, rule))
    answer.notices.push_back(*note);
  for (const RunPrice& one : prices.options) answer.options.push_back(describe(one, work));
  if (way != nullptr) add_cost(*way, work, answer);
  const auto& elastic = setup.ask().failures.elastic;
  if (elastic && elastic->value && answer.goodput)
    answer.notices.push_back(note_elastic(paid, answer));
  answer.missed = missed_limits(setup.scenario, answer.duration, answer.cost);
}

}  // namespace loadfactor::engine

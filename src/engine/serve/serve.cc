// One deployment in detail: scenario in, capacity, speed, limits out.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/core.h"
#include "engine/fill/fill.h"
#include "engine/serve/other_layout.h"
#include "engine/serve/serve_figures.h"
#include "engine/serve/serve_pace.h"
#include "resolve/serve/fleet_limit.h"
#include "resolve/serve/fleet_steps.h"
#include "resolve/serve/serve_setup.h"
#include "resolve/serve/service_layout.h"
#include "serving/load_factor.h"
#include "serving/split_plan.h"

namespace loadfactor {
namespace {

using engine::AskedLoad;
using engine::load_of;
using engine::ServeSetup;
using serving::Load;
using serving::LoadFigures;
using serving::LoadKind;
using serving::Pool;

// What one replica, or one unit of both pools, can do within the SLO.
serving::CapacityFigures unit_capacity(const ServeSetup& setup, const Pool& one) {
  if (!setup.prompts) return serving::measure_capacity(one, setup.promise, setup.constants);
  return serving::measure_unit(*setup.prompts, 1, setup.plan, 1, setup.promise, setup.constants);
}

bool keeps_slo(const ServeSetup& setup, const serving::CapacityFigures& one,
               Diagnostics& diagnostics) {
  auto fault = engine::find_slo_fault(setup, one);
  if (!fault) return true;
  diagnostics.add(*std::move(fault));
  return false;
}

// A bound on whole requests that one request alone misses; the others are judged with the rate.
void check_whole_requests(const ServeSetup& setup, const Pool& pool, Diagnostics& diagnostics) {
  if (!setup.ask().slo) return;
  Load load = load_of(setup, LoadKind::kClosedLoop);
  Pool one = pool;
  one.replicas = 1;
  load.concurrency = 1;
  const auto alone = serving::closed_form(one, load, setup.constants);
  for (const auto& bound : setup.ask().slo->bounds) {
    if (bound.metric != config::SloMetric::kWholeRequest) continue;
    if (alone.latency <= bound.most.value) continue;
    diagnostics.add(setup.error(
        lf::kSloOutOfReach, bound.most.position,
        fmt::format("a whole request of {} is out of reach: one request alone takes {}",
                    format_display(any(bound.most.value)), format_display(any(alone.latency))),
        "raise it, or use more tp, a narrower precision or a faster GPU"));
  }
}

void add_slo_outlooks(const ServeSetup& setup, ServeAnswer& answer) {
  if (!setup.ask().slo) return;
  for (const auto& bound : setup.ask().slo->bounds) {
    const bool first = bound.metric == config::SloMetric::kTimeToFirstToken;
    const bool whole = bound.metric == config::SloMetric::kWholeRequest;
    SloOutlook outlook{.metric = bound.metric,
                       .quantile = bound.quantile,
                       .bound = bound.most.value,
                       .mean = first   ? answer.ttft
                               : whole ? answer.latency
                                       : answer.tpot};
    if (!first && !whole && setup.tokens_out <= 1) {
      outlook.kind = SloOutlook::Kind::kNoSuchTime;
    } else if (!answer.feasible && (first || whole)) {
      outlook.kind = SloOutlook::Kind::kOutOfReach;
    }
    answer.slo.push_back(std::move(outlook));
  }
}

// One beyond the most where it would be more, so that no count overflows.
int whole_replicas(double needed) {
  return static_cast<int>(std::clamp(std::ceil(needed), 1.0, serving::kMostReplicas + 1.0));
}

// Replicas of answers, and of prompts where they are apart.
struct Fleet {
  int answers = 1;
  int prompts = 0;
};

// As many as `serve --simulate` takes, where the scenario does not say.
Fleet choose_fleet(ServeSetup& setup, const serving::ReplicaCapacity& one, double rate) {
  const auto answers = setup.written_replicas(engine::Side::kDecode);
  const auto prompts = setup.written_replicas(engine::Side::kPrefill);
  int blank = 1;
  const bool is_blank = !answers || (setup.prompts && !prompts);
  if (is_blank && rate > 0) {
    const auto steps =
        engine::count_replicas(setup.demand->rates, rate, one, engine::slo_quantile(setup.promise));
    blank = steps.slo;
    setup.note(engine::note_chosen_replicas(steps));
  }
  return {answers.value_or(blank), setup.prompts ? prompts.value_or(blank) : 0};
}

AskedLoad evaluate(const ServeSetup& setup, const ServeInputs& request, const Pool& pool,
                   const LoadFigures& saturated, ServeAnswer& answer) {
  const double rate = setup.demand ? setup.demand->mean() : 0;
  AskedLoad asked;
  if (request.concurrency) {
    asked.load = load_of(setup, LoadKind::kClosedLoop);
    asked.load.concurrency = *request.concurrency;
    answer.load = {ServeLoad::Kind::kConcurrent, *request.concurrency};
    asked.figures = serving::closed_form(pool, asked.load, setup.constants);
    answer.utilisation = asked.figures.request_rate / saturated.request_rate;
    return asked;
  }
  if (rate > 0) {
    asked.load = load_of(setup, LoadKind::kOpenLoop);
    asked.load.rate = Hertz::from_base(rate);
    answer.load = {ServeLoad::Kind::kArriving, rate};
    answer.utilisation = asked.load.rate / saturated.request_rate;
    answer.feasible = *answer.utilisation < 1;
    answer.replicas_needed =
        whole_replicas(asked.load.rate / (saturated.request_rate / answer.layout.replicas));
    asked.figures = serving::closed_form(pool, asked.load, setup.constants);
    return asked;
  }
  asked.load = load_of(setup, LoadKind::kOffline);
  asked.figures = saturated;
  Load full = load_of(setup, LoadKind::kClosedLoop);
  full.concurrency = saturated.batch * pool.replicas;
  asked.figures.ttft = serving::closed_form(pool, full, setup.constants).ttft;
  asked.figures.latency = asked.figures.ttft + setup.tokens_out * asked.figures.tpot;
  return asked;
}

struct Anchored {
  std::optional<serving::AnchorPoint> measured;
  double full_pace = 1;  // A full batch's, whatever the load that is asked about.
};
// Scales the pool by the anchor, where there is one, and says where that was measured.
Anchored apply_anchor(ServeSetup& setup, const ServeInputs& request,
                      const catalog::Catalog& catalog, Pool& pool, Diagnostics& diagnostics) {
  if (!request.anchor) return {};
  ServeAnswer unused;
  Load full = load_of(setup, LoadKind::kOffline);
  full.prompts = 0;
  const LoadFigures saturated = serving::closed_form(pool, full, setup.constants);
  const double batch = evaluate(setup, request, pool, saturated, unused).figures.batch;
  const auto pace = engine::anchored_pace(setup, pool, *request.anchor, batch);
  const auto full_pace = engine::anchored_pace(setup, pool, *request.anchor, saturated.batch);
  if (!pace || !full_pace) {
    diagnostics.add(!pace ? pace.error() : full_pace.error());
    return {};
  }
  pool.pace = pace->factor;
  setup.note({.id = "anchored",
              .arguments = {{"factor", fmt::format("{:.3f}", pace->factor)},
                            {"factor_full", fmt::format("{:.3f}", full_pace->factor)},
                            {"run", request.anchor->source}}});
  for (Notice& difference : engine::anchor_differences(setup, catalog, *request.anchor))
    setup.note(std::move(difference));
  if (engine::is_far(*pace)) setup.note({.id = "far-anchor"});
  return {pace->measured, full_pace->factor};
}

// An engine's log that leaves no room for one request is not of this deployment.
bool check_kv_tokens(ServeSetup& setup, const ServeInputs& request, Diagnostics& diagnostics) {
  if (!request.kv_tokens) return true;
  const double longest = setup.tokens_in + setup.tokens_out;
  const auto stated = static_cast<double>(*request.kv_tokens);
  if (stated < longest) {
    diagnostics.add({.code = lf::kNothingServed,
                     .message = fmt::format("a request of {:.0f} tokens does not fit into a cache "
                                            "of {} (--kv-tokens)",
                                            longest, *request.kv_tokens),
                     .hint = "shorten the requests, or give what the engine's log says"});
    return false;
  }
  const double most = static_cast<double>(serving::count_kv_tokens(
                          setup.plan.memory_setup, setup.plan.memory, serving::End::kHigh)) /
                      setup.layout().dp;
  constexpr double kBeyondDoubt = 2;
  if (most > 0 && stated > kBeyondDoubt * most)
    setup.note({.id = "kv-beyond-memory",
                .arguments = {{"kv_tokens", fmt::format("{}", *request.kv_tokens)},
                              {"times", fmt::format("{:.3g}", stated / most)},
                              {setup.layout().dp > 1 ? "of_rank" : "of_replica", ""}}});
  return true;
}

// The pool of prompts beside the answers, where the deployment has one.
void add_prompt_pool(ServeSetup& setup, const Fleet& fleet, Pool& prompts, Pool& pool) {
  if (!setup.prompts) return;
  prompts = setup.prompts->pool(setup.promise, fleet.prompts);
  const auto words = [](const serving::ReplicaPlan& plan, double gpus) {
    const auto& layout = plan.choice.layout;
    return fmt::format("{:.0f} × {} (tp {}{})", gpus, plan.choice.chip->name, layout.tp,
                       layout.pp > 1 ? fmt::format(", pp {}", layout.pp) : "");
  };
  setup.note({.id = "split-pools",
              .arguments = {{"prompts", words(*setup.prompts, prompts.gpus)},
                            {"answers", words(setup.plan, pool.gpus)}}});
  pool.prompts = &prompts;
  pool.gpus += prompts.gpus;
}

// What the demand keeps busy over a week. Pools that are apart are one unit that never rests.
void add_busy_hours(const ServeSetup& setup, const Fleet& fleet,
                    const serving::CapacityFigures& one, ServeAnswer& answer) {
  if (!setup.demand) return;
  answer.demand_rate = Hertz::from_base(setup.demand->mean());
  serving::ReplicaCapacity unit = one.capacity;
  int units = fleet.answers;
  if (setup.prompts) {
    unit = serving::measure_unit(*setup.prompts, fleet.prompts, setup.plan, fleet.answers,
                                 setup.promise, setup.constants)
               .capacity;
    units = 1;
  }
  const auto load = engine::week_load(setup.demand->week, units * unit.saturated.base());
  answer.busy_by_hour = engine::busy_hours(load, unit, units);
}

// Says where more arrives than leaves, and who waits.
void note_waiting(ServeSetup& setup, const ServeInputs& request, const LoadFigures& saturated,
                  const AskedLoad& asked, const ServeAnswer& answer) {
  if (!answer.feasible && setup.prompts) {
    setup.note({.id = "overloaded",
                .arguments = {{"arriving", three_figures(answer.load.requests)},
                              {"pools_finish", three_figures(saturated.request_rate.base())}}});
  } else if (!answer.feasible) {
    setup.note({.id = "overloaded",
                .arguments = {{"arriving", three_figures(answer.load.requests)},
                              {"replicas", counted(answer.layout.replicas, "replica")},
                              {"finish", three_figures(saturated.request_rate.base())},
                              {"needed", fmt::format("{}", answer.replicas_needed)}}});
  }
  const double running = answer.sequences * answer.layout.replicas;
  if (request.concurrency && *request.concurrency > running)
    setup.note({.id = "queueing",
                .arguments = {{"concurrent", requests_text(*request.concurrency)},
                              {"running", format_count(static_cast<long long>(running))},
                              {"waiting", format_display(any(asked.figures.waiting))}}});
}

}  // namespace

std::optional<ServeAnswer> engine::Core::serve(const ServeInputs& request,
                                               Diagnostics& diagnostics) const {
  const auto setup = engine::make_serve_setup(request, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  if (!check_kv_tokens(*setup, request, diagnostics)) return std::nullopt;
  const bool has_rate = !request.concurrency && setup->demand;
  const auto capacity = unit_capacity(*setup, setup->pool(1));
  if (!request.anchor && !keeps_slo(*setup, capacity, diagnostics)) return std::nullopt;
  const Fleet fleet = choose_fleet(*setup, capacity.capacity, has_rate ? setup->demand->mean() : 0);
  const int replicas = fleet.answers;
  Pool pool = setup->pool(replicas);
  Pool prompts;
  add_prompt_pool(*setup, fleet, prompts, pool);
  if (auto fault =
          engine::find_fleet_fault(setup->scenario, {static_cast<double>(replicas), pool.gpus})) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  const Anchored anchored = apply_anchor(*setup, request, *catalog_, pool, diagnostics);
  const auto& anchor = anchored.measured;
  if (!diagnostics.empty()) return std::nullopt;
  prompts.pace = pool.pace;
  Pool one = setup->pool(1);
  one.pace = pool.pace;
  if (request.anchor && !keeps_slo(*setup, unit_capacity(*setup, one), diagnostics))
    return std::nullopt;
  check_whole_requests(*setup, pool, diagnostics);
  if (!request.batches.empty() && !setup->model->generates())
    diagnostics.add(Error{.code = lf::kUsage,
                          .message = fmt::format("--batches are of answers that are written, and "
                                                 "{} writes none",
                                                 setup->model->name),
                          .hint = "--concurrency 8 reads so many texts at a time"});
  if (!diagnostics.empty()) return std::nullopt;

  Load full = load_of(*setup, LoadKind::kOffline);
  full.prompts = 0;
  Pool filled = pool;
  if (request.anchor) filled.pace = anchored.full_pace;
  const LoadFigures saturated = serving::closed_form(filled, full, setup->constants);
  ServeAnswer answer;
  add_names(*setup, pool, replicas, answer);
  answer.prompt_gpus = static_cast<int>(prompts.step != nullptr ? prompts.gpus : 0);
  const AskedLoad asked = evaluate(*setup, request, pool, saturated, answer);
  add_capacity(*setup, request, answer);
  add_saturated(*setup, pool, {full, saturated}, anchor, answer);
  add_figures(*setup, pool, asked, anchor, answer);
  answer.limit = binding_limit(*setup, pool, saturated);
  add_slo_outlooks(*setup, answer);
  add_parts(*setup, pool, answer);
  add_batches(*setup, request, pool, answer);
  note_waiting(*setup, request, saturated, asked, answer);
  add_busy_hours(*setup, fleet, capacity, answer);
  if (has_rate && request.seeks_others)
    engine::note_other_layout({.scenario = request.scenario,
                               .model_files = request.model_files,
                               .trace_bytes = request.trace_bytes,
                               .models = setup->models},
                              setup->plan, *setup);
  setup->note({.id = "means"});
  std::move(setup->notices.begin(), setup->notices.end(), std::back_inserter(answer.notices));
  return answer;
}

}  // namespace loadfactor

#include "resolve/serve/service_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "search/serving_space.h"
#include "serving/split_plan.h"
#include "serving/worthwhile.h"

namespace loadfactor::engine {
namespace {

using serving::ReplicaPlan;
using serving::ServicePromise;
using serving::ServingLayout;

// Where to raise what is too little.
std::optional<std::string> lowered_fraction(const Service& service) {
  const auto& fraction = service.operations().memory_fraction;
  const double usual = service.engine->memory.fraction;
  if (!fraction || fraction->value >= usual) return std::nullopt;
  return fmt::format("memory_fraction is {:g}: {} takes {:g} where it is left out", fraction->value,
                     service.engine->title, usual);
}

Error does_not_fit(const Service& service, Side side, const ReplicaPlan& plan) {
  const config::Pool pool = service.asked_pool(side);
  const config::Position at = pool.tp ? pool.tp->position : service.ask().position;
  if (plan.step && plan.step->adapter_bytes() > Bytes())
    return service.error(lf::kDoesNotFit, at,
                         fmt::format("adapters of {} on each GPU leave no room for keys and values",
                                     format_display(any(plan.step->adapter_bytes()))),
                         "lower deployment.lora.active or its rank, or raise tp");
  const auto& gpu = plan.memory.stages[plan.memory.tightest];
  return service.error(
      lf::kDoesNotFit, at,
      fmt::format("{} in {} does not fit: weights take {} of {} GiB on each of {} × {}, "
                  "and {} GiB is left for keys and values",
                  service.model->name, plan.choice.precision,
                  format_in(any(gpu.weights.total()), "GiB", 1),
                  format_in(any(gpu.total), "GiB", 1), plan.gpus(), plan.choice.chip->name,
                  format_in(any(std::max(gpu.kv.value, Bytes())), "GiB", 1)),
      lowered_fraction(service).value_or(
          "raise tp, choose a narrower precision or a GPU with more memory"));
}

serving::CapacityFigures capacity_of(const Service& service, Side side, const ReplicaPlan& plan,
                                     const ServicePromise& ask) {
  const serving::Constants& constants = service.constants_on(*plan.choice.chip);
  if (!service.is_split()) return serving::measure_capacity(plan, ask, constants);
  return side == Side::kPrefill ? serving::measure_prompts(plan, ask, constants)
                                : serving::measure_answers(plan, ask, constants);
}

// The layouts of a blank tp, the smallest first. Past one scale-up domain, stages are whole
// domains.
std::vector<ServingLayout> layouts_of(const Service& service, const config::Pool& pool,
                                      const catalog::AcceleratorSpec& chip) {
  constexpr int kMostStages = 32;
  std::vector<ServingLayout> all;
  const auto add = [&](int tp, int pp) {
    config::Pool cut = pool;
    cut.tp = config::Placed<int>{tp, {}};
    cut.pp = config::Placed<int>{pp, {}};
    const ServingLayout layout = written_layout(cut);
    if (find_cut_fault(*service.model, layout).code == 0) all.push_back(layout);
  };
  const std::vector<int> degrees = tensor_degrees(*service.model, chip);
  for (const int tp : degrees) add(tp, pool.pp ? pool.pp->value : 1);
  if (pool.pp) return all;
  for (int pp = 2; pp <= std::min(kMostStages, service.model->num_layers()); pp *= 2)
    add(degrees.back(), pp);
  return all;
}

// The smallest replica that holds a request and keeps the SLO with a cache that is worth
// running; else the smallest that does one of the two, or neither. A bound on the time per token
// leaves small replicas small batches: of those that keep it, the one that serves most per GPU.
class OpenReplica {
 public:
  OpenReplica(Service& service, Side side, const ServicePromise& ask)
      : service_(service),
        side_(side),
        ask_(ask),
        is_bound_(ask.tpot > Seconds() && side == Side::kDecode) {}

  void consider(const ReplicaPlan& plan) {
    const Hertz rate = capacity_of(service_, side_, plan, ask_).capacity.at_slo;
    const Hertz each = rate / static_cast<double>(plan.gpus());
    const bool is_roomy =
        plan.kv_tokens >= serving::worthwhile_cache(plan.chunk, ask_.input + ask_.output);
    const int rank = (rate > Hertz() ? kKeeps : 0) + (is_roomy ? kIsRoomy : 0);
    const bool is_same_rank = best_ && rank == rank_;
    const bool serves_more = is_same_rank && is_bound_ && rank >= kKeeps && each > rate_each_;
    if (best_ && rank <= rank_ && !serves_more) return;
    is_for_rate_ = serves_more;
    rank_ = rank;
    rate_each_ = each;
    best_ = plan;
  }
  // Whether nothing larger can be better; more stages never shorten a step.
  bool is_settled(const ServingLayout& next) const {
    if (!best_ || rank_ < kKeeps + kIsRoomy) return false;
    return !is_bound_ || next.pp > best_->choice.layout.pp;
  }

  std::optional<ReplicaPlan> take() && {
    if (best_) service_.note(notice());
    return std::move(best_);
  }

 private:
  Notice notice() const {
    const ServingLayout& layout = best_->choice.layout;
    Notice out{.id = "chosen-tp", .arguments = {{"tp", std::to_string(layout.tp)}}};
    if (layout.pp > 1) out.arguments.push_back({"pp", std::to_string(layout.pp)});
    constexpr std::array<const char*, 4> kWhy{"holds_request", "roomy_cache", "keeps_slo",
                                              "keeps_slo_and_roomy_cache"};
    out.arguments.push_back(
        {is_for_rate_ ? "most_per_gpu" : kWhy[static_cast<std::size_t>(rank_)], ""});
    return out;
  }

  static constexpr int kIsRoomy = 1;
  static constexpr int kKeeps = 2;

  Service& service_;
  Side side_;
  const ServicePromise& ask_;
  bool is_bound_;
  std::optional<ReplicaPlan> best_;
  int rank_ = 0;
  Hertz rate_each_;           // Requests per second and GPU within the SLO.
  bool is_for_rate_ = false;  // Chosen over a smaller one that keeps the SLO as well.
};

Result<ReplicaPlan> written_replica(const Service& service, Side side,
                                    serving::ReplicaChoice choice, const ServicePromise& ask) {
  choice.layout = written_layout(service.asked_pool(side));
  TRY(auto plan, serving::plan_replica(choice, service.hardware()));
  if (!holds_request(plan, ask)) return does_not_fit(service, side, plan);
  return plan;
}

}  // namespace

ServingLayout written_layout(const config::Pool& pool) {
  const auto degree = [](const config::Given<int>& given) { return given ? given->value : 1; };
  ServingLayout layout{.tp = degree(pool.tp),
                       .pp = degree(pool.pp),
                       .ep = degree(pool.ep),
                       .dp = degree(pool.dp),
                       .cp = degree(pool.cp)};
  if (layout.ep > layout.ranks()) layout.dp = std::max(layout.dp, layout.ep / layout.tp);
  return layout;
}

void check_written_layout(Service& service, Side side, Diagnostics& diagnostics) {
  const config::Pool pool = service.asked_pool(side);
  const auto place = [&](const config::Given<int>& given) {
    return given ? given->position : service.ask().position;
  };
  if (pool.tp) {
    const CutFault heads = find_head_fault(*service.model, pool.tp->value);
    if (heads.code != 0)
      return diagnostics.add(
          service.error(heads.code, pool.tp->position, heads.message, heads.hint));
    if (heads.copies > 1)
      service.note({.id = "copied-kv-heads",
                    .arguments = {{"tp", std::to_string(pool.tp->value)},
                                  {"kv_heads", std::to_string(pool.tp->value / heads.copies)},
                                  {"copies", std::to_string(heads.copies)}}});
  }
  const ServingLayout layout = written_layout(pool);
  const CutFault cut = find_cut_fault(*service.model, layout);
  // Experts spread over ranks that are still to be chosen are checked with them.
  const bool is_open =
      !pool.tp && layout.pp <= service.model->num_layers() && service.model->has_experts();
  if (cut.code == 0 || is_open) return;
  const bool stages = layout.pp > service.model->num_layers();
  diagnostics.add(
      service.error(cut.code, place(stages ? pool.pp : pool.ep), cut.message, cut.hint));
}

CutFault find_cut_fault(const catalog::ModelSpec& model, const ServingLayout& layout) {
  const int layers = model.num_layers();
  if (layout.pp > layers)
    return {.code = lf::kNotDivisible,
            .message = fmt::format("pp {} leaves stages without a layer: {} has {}", layout.pp,
                                   model.name, layers),
            .hint = fmt::format("choose a pp of at most {}", layers)};
  if (layout.ep <= 1) return {};
  if (!model.has_experts())
    return {.code = lf::kNotDivisible,
            .message = fmt::format("ep {}: {} has no experts to spread", layout.ep, model.name),
            .hint = "remove ep, or write dp for copies of the attention"};
  if (layout.ranks() % layout.ep == 0) return {};
  return {.code = lf::kNotDivisible,
          .message = fmt::format("ep {} does not divide the {} ranks of tp {} and dp {}", layout.ep,
                                 layout.ranks(), layout.tp, layout.dp),
          .hint = fmt::format("choose an ep that divides {}", layout.ranks())};
}

CutFault find_head_fault(const catalog::ModelSpec& model, int tp) {
  for (const auto& kind : model.kinds) {
    const auto& a = kind.attention;
    if (a.kind != catalog::AttentionKind::kStandard || a.kv_heads <= 0) continue;
    const bool splits = a.heads % tp == 0 && (a.kv_heads % tp == 0 || tp % a.kv_heads == 0);
    if (!splits)
      return {
          .code = lf::kNotDivisible,
          .message =
              fmt::format("tp {} divides neither the {} heads nor the {} key-value heads of {}", tp,
                          a.heads, a.kv_heads, model.name),
          .hint = fmt::format("choose a tp that divides {}, or a multiple of {} that divides {}",
                              a.kv_heads, a.kv_heads, a.heads)};
    if (tp > a.kv_heads) return {.copies = tp / a.kv_heads};
  }
  return {};
}

std::vector<int> tensor_degrees(const catalog::ModelSpec& model,
                                const catalog::AcceleratorSpec& chip) {
  constexpr int kNode = 8;                // A node without fast links still has a bus.
  constexpr int kMaxTensorParallel = 64;  // Wider than any engine was seen to run.
  std::vector<int> degrees;
  for (int tp = 1; tp <= std::clamp(chip.scale_up.domain, kNode, kMaxTensorParallel); tp *= 2)
    if (find_head_fault(model, tp).code == 0) degrees.push_back(tp);
  return degrees;
}

std::vector<ServingLayout> layouts_within_reach(Service& service, Side side,
                                                const catalog::AcceleratorSpec& chip,
                                                const ServicePromise& ask) {
  const config::Pool pool = service.asked_pool(side);
  if (pool.tp) return {written_layout(pool)};
  std::vector<int> stages{1, 2};
  if (pool.pp) stages = {pool.pp->value};
  // A model that no single domain holds is cut into more stages.
  const std::vector<Notice> said = service.notices;
  const auto smallest = choose_replica(service, side, chip, ask);
  service.notices = said;
  if (smallest &&
      std::find(stages.begin(), stages.end(), smallest->choice.layout.pp) == stages.end())
    stages.push_back(smallest->choice.layout.pp);
  const bool is_spread = pool.ep || pool.dp || pool.cp;
  std::vector<ServingLayout> all;
  for (const ServingLayout& plain :
       search::layouts_of(tensor_degrees(*service.model, chip), stages,
                          !is_spread && service.model->has_experts())) {
    ServingLayout layout = plain;
    if (is_spread) {
      config::Pool cut = pool;
      cut.tp = config::Placed<int>{plain.tp, {}};
      cut.pp = config::Placed<int>{plain.pp, {}};
      layout = written_layout(cut);
    }
    if (find_cut_fault(*service.model, layout).code == 0) all.push_back(layout);
  }
  return all;
}

bool holds_request(const ReplicaPlan& plan, const ServicePromise& ask) {
  if (!plan.fits() || !plan.step) return false;
  const auto tokens = static_cast<std::int64_t>(std::ceil(ask.input + ask.output));
  return serving::count_sequences(plan.memory_setup, plan.memory, tokens) >= 1;
}

Result<ReplicaPlan> choose_replica(Service& service, Side side,
                                   const catalog::AcceleratorSpec& chip,
                                   const ServicePromise& ask) {
  const config::Pool pool = service.asked_pool(side);
  TRY(serving::ReplicaChoice choice, replica_on(service, side, chip));
  if (pool.tp) return written_replica(service, side, std::move(choice), ask);
  OpenReplica open(service, side, ask);
  std::optional<ReplicaPlan> largest;
  for (const ServingLayout& layout : layouts_of(service, pool, chip)) {
    if (open.is_settled(layout)) break;
    choice.layout = layout;
    TRY(auto plan, serving::plan_replica(choice, service.hardware()));
    largest = plan;
    if (!holds_request(plan, ask)) continue;
    open.consider(plan);
  }
  if (auto found = std::move(open).take()) return *std::move(found);
  if (largest) return does_not_fit(service, side, *largest);
  const CutFault cut = find_cut_fault(*service.model, written_layout(pool));
  return service.error(cut.code != 0 ? cut.code : lf::kNotDivisible, service.ask().position,
                       cut.message, cut.hint);
}

namespace {

// A bound that one request alone does not keep, on average or at its quantile.
struct MissedBound {
  const config::SloBound* bound = nullptr;
  Seconds alone;

  // What an error says of it. A text is answered once it is read, where nothing is written.
  std::string words(bool writes) const {
    const bool is_first = bound->metric == config::SloMetric::kTimeToFirstToken;
    std::string message =
        fmt::format("{} of {} is out of reach: one request alone takes {}",
                    !writes    ? "an answer"
                    : is_first ? "a first token"
                               : "a token",
                    format_display(any(bound->most.value)), format_display(any(alone)));
    if (alone <= bound->most.value)
      message += fmt::format(" on average, and more at p{:.0f}", 100 * bound->quantile);
    return message;
  }
};

// The bound that binds, and the other one where even an idle replica misses it on average.
std::vector<MissedBound> missed_bounds(const std::vector<config::SloBound>& bounds,
                                       const serving::CapacityFigures& idle) {
  using config::SloMetric;
  const SloMetric binding = idle.binding == serving::RateBinding::kFirstToken
                                ? SloMetric::kTimeToFirstToken
                                : SloMetric::kTimePerOutputToken;
  std::vector<MissedBound> missed;
  for (const SloMetric metric : {SloMetric::kTimeToFirstToken, SloMetric::kTimePerOutputToken}) {
    const auto bound = std::find_if(bounds.rbegin(), bounds.rend(),
                                    [&](const auto& each) { return each.metric == metric; });
    if (bound == bounds.rend()) continue;
    const Seconds alone = metric == SloMetric::kTimeToFirstToken ? idle.idle_ttft : idle.idle_tpot;
    if (metric == binding || alone > bound->most.value) missed.push_back({&*bound, alone});
  }
  return missed;
}

}  // namespace

std::optional<Error> find_slo_fault(const Service& service, const serving::CapacityFigures& idle) {
  if (!service.ask().slo || idle.capacity.at_slo > Hertz()) return std::nullopt;
  const auto missed = missed_bounds(service.ask().slo->bounds, idle);
  const bool is_one = missed.size() == 1;
  const std::string hint = fmt::format(
      "raise {}, or use more tp, a narrower precision or a faster GPU", is_one ? "it" : "both");
  if (missed.empty())
    return service.error(lf::kSloOutOfReach, service.ask().slo->position,
                         "the objectives are out of reach: an idle replica misses them",
                         "raise them, or use more tp, a narrower precision or a faster GPU");
  const bool writes = service.model->generates();
  std::string message = missed[0].words(writes);
  if (!is_one) message += "; " + missed[1].words(writes);
  return service.error(lf::kSloOutOfReach, missed[0].bound->most.position, std::move(message),
                       hint);
}

}  // namespace loadfactor::engine

#include "engine/train/scale_curve.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "engine/train/search_why.h"
#include "engine/train/train_answer.h"

namespace loadfactor::engine {
namespace {

using training::Part;

double tokens_of(const ChosenLayout& chosen) {
  return static_cast<double>(chosen.job.global_batch) * static_cast<double>(chosen.job.sequence);
}

double plain_rate(const ChosenLayout& chosen) {
  return tokens_of(chosen) / chosen.time.total().base();
}

double useful_share(const catalog::Catalog& catalog, const SearchMachine& machine,
                    const ChosenLayout& chosen, std::optional<OptionKind> option) {
  const RunPrices prices = run_prices(
      catalog, *machine.setup, {.gpus = chosen.job.layout.gpus, .step = chosen.time.total()});
  for (const RunPrice& way : prices.options)
    if (way.kind == option) return way.paid.effective.value();
  return prices.plain.effective.value();
}

// What a size loses to each limit from kKernels to kFailures, in GPU-seconds per token.
constexpr std::size_t kNumLimits = 6;
using Losses = std::array<double, kNumLimits>;

ScaleLimit limit_of(std::size_t index) {
  return static_cast<ScaleLimit>(index + static_cast<std::size_t>(ScaleLimit::kKernels));
}

Losses losses_of(const ChosenLayout& chosen, double useful) {
  const auto& time = chosen.time;
  const double scale = chosen.job.layout.gpus / tokens_of(chosen);
  const auto sum = [&](std::initializer_list<Part> parts) {
    Seconds total;
    for (const Part part : parts) total += time[part];
    return total.base() * scale;
  };
  Losses losses{};
  losses[0] = sum({Part::kGemm, Part::kAttention, Part::kPointwise, Part::kHead});
  losses[1] = sum({Part::kTp, Part::kCp, Part::kEp, Part::kFsdp, Part::kDp, Part::kP2p});
  losses[2] = sum({Part::kBubble, Part::kImbalance});
  losses[3] = sum({Part::kRecompute, Part::kOffload, Part::kHost, Part::kOptimizer, Part::kData});
  losses[4] = sum({Part::kStraggler});
  losses[5] = time.total().base() * scale * (1.0 / useful - 1.0);
  return losses;
}

// Few micro-batches per stage: the batch cannot be split further without idling.
bool is_starved(const ChosenLayout& chosen) {
  const auto& layout = chosen.job.layout;
  const double count = static_cast<double>(chosen.job.global_batch) /
                       (static_cast<double>(layout.micro_batch) * layout.dp);
  return count <= 4.0 * layout.pp;
}

// At the smallest size: what is largest beside the kernels, where it takes a share worth naming.
ScaleLimit first_binding(const Losses& now) {
  constexpr double kWorthNaming = 0.05;
  const double all = std::accumulate(now.begin(), now.end(), 0.0);
  const auto* largest = std::max_element(now.begin() + 1, now.end());
  if (*largest < kWorthNaming * all) return ScaleLimit::kNothing;
  return limit_of(static_cast<std::size_t>(largest - now.begin()));
}

// At others: what grew most since the smallest, unless they are as good as that one.
ScaleLimit binding_of(const Losses& first, const Losses& now, const ChosenLayout& chosen,
                      double efficiency) {
  constexpr double kAsGood = 0.995;
  if (efficiency >= kAsGood) return ScaleLimit::kNothing;
  Losses more{};
  for (std::size_t i = 0; i < kNumLimits; ++i) more[i] = now[i] - first[i];
  const ScaleLimit most =
      limit_of(static_cast<std::size_t>(std::max_element(more.begin(), more.end()) - more.begin()));
  const bool by_batch = most == ScaleLimit::kBubble || most == ScaleLimit::kKernels;
  return by_batch && is_starved(chosen) ? ScaleLimit::kBatch : most;
}

// Adds what a size costs and saves against the next smaller one.
void add_margins(const ScaleInputs& request, const ScalePoint& smaller, ScalePoint& point) {
  const auto& a = smaller.train;
  const auto& b = point.train;
  if (!a.duration || !b.duration || !a.cost || !b.cost) return;
  constexpr double kDay = 86400;
  const double saved = (a.duration->value().base() - b.duration->value().base()) / kDay;
  const Dollars added = b.cost->value() - a.cost->value();
  if (saved > 0) point.day_break_even = std::max(Dollars(), added / saved);
  if (!request.day_value) return;
  const double gpus = b.layout.gpus - a.layout.gpus;
  point.marginal = (*request.day_value * saved - added) / gpus;
}

bool is_affordable(const SearchMachine& machine, const TrainAnswer& train) {
  const auto& budget = machine.setup->scenario.limits.budget;
  return !budget || !train.cost || train.cost->value() <= budget->value;
}

// Sequences of a step that has grown with the GPUs, in whole shares of them.
std::int64_t grown_batch(const training::TrainingJob& smallest, int gpus) {
  const std::int64_t from = smallest.layout.gpus;
  if (smallest.global_batch * gpus % from == 0) return smallest.global_batch * gpus / from;
  return std::max<std::int64_t>(1, smallest.global_batch / from) * gpus;
}

// The best with a batch that has grown with the GPUs; nothing beyond the critical batch.
std::optional<ChosenLayout> weak_layout(const SearchMachine& machine, const SearchInputs& request,
                                        const ChosenLayout& strong, std::int64_t batch) {
  const auto& critical = machine.setup->ask().critical_batch;
  const double tokens = static_cast<double>(batch) * static_cast<double>(strong.job.sequence);
  if (critical && tokens > critical->value.base()) return std::nullopt;
  if (batch == strong.job.global_batch) return strong;
  return best_layout_with(machine, request, [batch](auto& job) { job.global_batch = batch; });
}

// A size that has no layout: too small, or none that divides.
void leave_out(const SearchMachine& machine, ScaleCurve& curve) {
  if (machine.has_layouts()) {
    curve.too_small.push_back(machine.gpus());
  } else {
    curve.excluded.push_back(machine.undivided());
  }
}

void set_summary(const ScaleInputs& request, ScaleCurve& curve) {
  double fastest = 0;
  double cheapest = 0;
  const auto keeps = [](const ScalePoint& point) { return point.affordable && point.in_time; };
  const bool any = std::any_of(curve.points.begin(), curve.points.end(), keeps);
  curve.priced = std::all_of(curve.points.begin(), curve.points.end(),
                             [](const auto& p) { return p.train.cost_per_token.has_value(); });
  for (const auto& point : curve.points) {
    const int gpus = point.train.layout.gpus;
    if (point.efficiency >= request.efficiency) curve.largest = gpus;
    if (any && !keeps(point)) continue;
    const double rate = point.train.tokens_per_s.value().base() * point.train.paid_share();
    if (rate > fastest) {
      fastest = rate;
      curve.fastest = gpus;
    }
    const double cost =
        point.train.cost_per_token ? point.train.cost_per_token->value().base() : gpus / rate;
    if (cheapest == 0 || cost < cheapest) {
      cheapest = cost;
      curve.cheapest = gpus;
    }
  }
}

}  // namespace

std::optional<ChosenLayout> best_layout_with(const SearchMachine& machine,
                                             const SearchInputs& request, const JobChange& change) {
  SearchMachine changed = machine;
  training::TrainingJob job = machine.scene.scene.job;
  if (change) change(job);
  changed.scene.scene = scene_of(*machine.setup, job);
  changed.scene.weight = 1.0;
  changed.scene.longest = {};
  search::SearchOptions options;
  options.keep = 1;
  options.threads = request.threads;
  options.stop = request.stop;
  // Its share of one search; the caller counts searches by their ends.
  static constexpr double kUnfinished = 0.999;
  if (request.progress)
    options.progress = [&request](double share) { request.progress(std::min(share, kUnfinished)); };
  const auto found = search::search_layouts(changed.scene, options);
  if (request.progress) request.progress(1.0);
  if (found.best.empty()) return std::nullopt;
  return chosen_of(changed, found.best[0]);
}

std::optional<ChosenLayout> best_layout(const SearchMachine& machine, const SearchInputs& request) {
  return best_layout_with(machine, request, {});
}

double useful_rate(const catalog::Catalog& catalog, const SearchMachine& machine,
                   const ChosenLayout& chosen, std::optional<OptionKind> option) {
  return plain_rate(chosen) * useful_share(catalog, machine, chosen, option);
}

std::optional<OptionKind> option_of(const SearchMachine& machine, const ChosenLayout& chosen) {
  const RunPrice* way = machine.prices.chosen(machine.work_time(chosen.time.total()), machine.rule);
  return way != nullptr ? std::optional(way->kind) : std::nullopt;
}

bool is_stopped(const SearchInputs& request) {
  return request.stop != nullptr && request.stop->load();
}

CurveResult make_curve(const std::vector<const SearchMachine*>& machines,
                       const ScaleInputs& request, const catalog::Catalog& catalog) {
  CurveResult result;
  ScaleCurve& curve = result.curve;
  curve.domain = std::max(1, machines[0]->setup->job.chip->scale_up.domain);
  curve.accelerator = machines[0]->setup->job.chip->name;
  curve.title = machines[0]->setup->job.chip->title;
  Losses first{};
  double per_gpu = 0;  // Useful tokens of the smallest size.
  for (const auto* machine : machines) {
    const auto chosen = best_layout(*machine, request.search);
    if (is_stopped(request.search)) break;
    if (!chosen) {
      leave_out(*machine, curve);
      continue;
    }
    ScalePoint point;
    point.train = describe_training(*machine->setup, *chosen);
    add_goodput(catalog, *machine->setup, point.train, machine->rule);
    const bool is_first = curve.points.empty();
    if (is_first) curve.counted_as = point.train.option;
    // Sizes compare as the smallest is paid, whichever way is the cheapest for each.
    const double useful = useful_share(catalog, *machine, *chosen, curve.counted_as);
    const double rate = plain_rate(*chosen) * useful / machine->gpus();
    const Losses losses = losses_of(*chosen, useful);
    if (is_first) {
      first = losses;
      per_gpu = rate;
    }
    point.efficiency = rate / per_gpu;
    point.communication = communication_share(chosen->time);
    point.binding =
        is_first ? first_binding(losses) : binding_of(first, losses, *chosen, point.efficiency);
    point.affordable = is_affordable(*machine, point.train);
    const auto& deadline = machine->setup->ask().deadline;
    point.in_time =
        !deadline || !point.train.duration || point.train.duration->value() <= deadline->value;
    const ChosenLayout& smallest = is_first ? *chosen : result.chosen[0];
    const auto weak =
        weak_layout(*machine, request.search, *chosen, grown_batch(smallest.job, machine->gpus()));
    if (weak)
      point.weak_efficiency =
          useful_rate(catalog, *machine, *weak, curve.counted_as) / machine->gpus() / per_gpu;
    if (!is_first) add_margins(request, curve.points.back(), point);
    curve.points.push_back(std::move(point));
    result.machines.push_back(machine);
    result.chosen.push_back(*chosen);
  }
  set_summary(request, curve);
  return result;
}

}  // namespace loadfactor::engine

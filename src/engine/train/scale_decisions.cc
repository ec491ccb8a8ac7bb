#include "engine/train/scale_decisions.h"

#include <algorithm>
#include <functional>
#include <string>

#include "engine/train/search_why.h"

namespace loadfactor::engine {
namespace {

// Jobs point at their accelerator, so a changed one must live as long as they do.
catalog::AcceleratorSpec with_memory(const catalog::AcceleratorSpec& chip, double factor) {
  catalog::AcceleratorSpec changed = chip;
  changed.memory.usable = chip.memory.usable * factor;
  changed.memory.nominal = chip.memory.nominal * factor;
  return changed;
}

ScaleOption option(const SearchMachine& machine, MachineChange what, double before, double after) {
  ScaleOption out;
  out.what = what;
  out.gain = after / before - 1.0;
  if (const auto rent = machine.rent()) out.worth = *rent * std::max(0.0, out.gain);
  return out;
}

// Whether the limits of the scenario and its own layout leave room for as many GPUs again.
bool may_double(const SearchMachine& machine, const catalog::Catalog& catalog) {
  SearchMachine twice = machine;
  twice.scene.scene.job.layout.gpus *= 2;
  twice.paid_gpus *= 2;
  const auto& limit = machine.setup->scenario.limits.gpus;
  return (!limit || twice.gpus() <= limit->value) && !power_objection(catalog, twice);
}

std::vector<ScaleSize> all_sizes(const std::vector<ScaleCurve>& curves) {
  std::vector<ScaleSize> sizes;
  for (std::size_t curve = 0; curve < curves.size(); ++curve)
    for (std::size_t point = 0; point < curves[curve].points.size(); ++point)
      sizes.push_back({curve, point});
  return sizes;
}

const ScalePoint& at(const std::vector<ScaleCurve>& curves, const ScaleSize& size) {
  return curves[size.curve].points[size.point];
}

double rate_of(const ScalePoint& point) {
  return point.train.tokens_per_s.value().base();
}

}  // namespace

std::vector<ScaleOption> next_dollar(const SearchMachine& machine, const ChosenLayout& now,
                                     const ScaleInputs& request, const catalog::Catalog& catalog) {
  std::vector<ScaleOption> options;
  const auto paid = option_of(machine, now);
  const double before = useful_rate(catalog, machine, now, paid);
  const auto try_change = [&](MachineChange what, const JobChange& change) {
    const auto changed = best_layout_with(machine, request.search, change);
    if (!changed) return;
    options.push_back(option(machine, what, before, useful_rate(catalog, machine, *changed, paid)));
    options.back().why = why_not(*changed, now);
  };
  const auto& chip = *machine.setup->job.chip;
  if (may_double(machine, catalog))
    try_change(MachineChange::kTwiceTheGpus, [](auto& job) { job.layout.gpus *= 2; });
  if (chip.scale_out)
    try_change(MachineChange::kTwiceTheNetwork, [&chip](auto& job) {
      job.fabric.scale_out = job.fabric.scale_out.value_or(chip.scale_out->bandwidth) * 2.0;
    });
  const auto larger = with_memory(chip, 1.5);
  try_change(MachineChange::kHalfMoreMemory, [&larger](auto& job) { job.chip = &larger; });
  std::stable_sort(options.begin(), options.end(),
                   [](const auto& a, const auto& b) { return a.gain > b.gain; });
  return options;
}

namespace {

// What a change to this machine brings, in useful tokens.
double gain_of(const SearchMachine& machine, const ChosenLayout& now, const ChosenLayout& changed,
               const catalog::Catalog& catalog) {
  const auto paid = option_of(machine, now);
  return useful_rate(catalog, machine, changed, paid) / useful_rate(catalog, machine, now, paid) -
         1.0;
}

}  // namespace

std::optional<TallerDomain> taller_domain(const SearchMachine& machine, const ChosenLayout& now,
                                          const ScaleInputs& request,
                                          const catalog::Catalog& catalog) {
  constexpr int kTimes = 8;
  const int domain = std::max(1, machine.setup->job.chip->scale_up.domain);
  if (machine.gpus() <= domain || domain == 1) return std::nullopt;
  const auto tall = best_layout_with(machine, request.search, [&](auto& job) {
    job.fabric.scale_up_domain = std::min(job.layout.gpus, domain * kTimes);
  });
  if (!tall) return std::nullopt;
  return TallerDomain{std::min(machine.gpus(), domain * kTimes), domain,
                      gain_of(machine, now, *tall, catalog), why_not(*tall, now)};
}

std::optional<WithoutLinks> without_links(const SearchMachine& machine, const ChosenLayout& now,
                                          const ScaleInputs& request,
                                          const catalog::Catalog& catalog) {
  const auto& chip = *machine.setup->job.chip;
  const bool has_links =
      chip.scale_up.domain > 1 && !(chip.host && chip.scale_up.bandwidth <= chip.host->bandwidth);
  if (!has_links || machine.gpus() == 1) return std::nullopt;
  const auto bare = best_layout_with(machine, request.search, [&chip](auto& job) {
    job.fabric.scale_up_domain = 1;
    if (chip.host && job.layout.gpus <= 8) job.fabric.scale_out = chip.host->bandwidth;
  });
  if (!bare) return std::nullopt;
  const auto& layout = bare->job.layout;
  return WithoutLinks{chip.scale_up.link, layout.tp, std::string(sharding_words(layout.sharding)),
                      gain_of(machine, now, *bare, catalog), why_not(now, *bare)};
}

namespace {

// Per token; where one of them has no price, the faster.
std::optional<ScaleSize> cheapest_of(const std::vector<ScaleCurve>& curves,
                                     const std::function<bool(const ScalePoint&)>& wanted) {
  std::optional<ScaleSize> best;
  for (const ScaleSize& size : all_sizes(curves)) {
    const ScalePoint& point = at(curves, size);
    if (!wanted(point)) continue;
    const auto& cost = point.train.cost_per_token;
    const bool priced = best && cost && at(curves, *best).train.cost_per_token;
    const bool better =
        !best || (priced ? cost->value() < at(curves, *best).train.cost_per_token->value()
                         : rate_of(point) > rate_of(at(curves, *best)));
    if (better) best = size;
  }
  return best;
}

// Cards say it all where machines differ in size by more than this.
constexpr int kComparable = 2;

std::optional<SizeSurprise> smaller_that_wins(const std::vector<ScaleCurve>& curves) {
  std::optional<SizeSurprise> found;
  double most = 1.0;
  const auto sizes = all_sizes(curves);
  for (const ScaleSize& smaller : sizes)
    for (const ScaleSize& larger : sizes) {
      const ScalePoint& a = at(curves, smaller);
      const ScalePoint& b = at(curves, larger);
      const int fewer = a.train.layout.gpus;
      const int more = b.train.layout.gpus;
      if (fewer >= more || rate_of(a) <= rate_of(b) || more > kComparable * fewer) continue;
      const double weight = rate_of(a) / rate_of(b) * more / fewer;
      if (weight <= most) continue;
      most = weight;
      found = SizeSurprise{smaller, larger, false};
    }
  return found;
}

// Whether of two machines of about a size the one wins whose larger number of slower accelerators
// has the shorter links.
bool wins_badly_linked(const ScaleCurve& good, const ScalePoint& a, const ScaleCurve& poor,
                       const ScalePoint& b) {
  const int fewer = a.train.layout.gpus;
  const int more = b.train.layout.gpus;
  return good.accelerator != poor.accelerator && poor.domain < good.domain && fewer < more &&
         more <= kComparable * fewer && rate_of(a) < rate_of(b) &&
         rate_of(b) / more < rate_of(a) / fewer;
}

std::optional<SizeSurprise> larger_that_wins(const std::vector<ScaleCurve>& curves) {
  std::optional<SizeSurprise> found;
  for (std::size_t good = 0; good < curves.size(); ++good)
    for (std::size_t poor = 0; poor < curves.size(); ++poor)
      for (std::size_t i = 0; i < curves[good].points.size(); ++i)
        for (std::size_t j = 0; j < curves[poor].points.size(); ++j) {
          const ScalePoint& b = curves[poor].points[j];
          if (!wins_badly_linked(curves[good], curves[good].points[i], curves[poor], b)) continue;
          if (found && rate_of(at(curves, found->larger)) >= rate_of(b)) continue;
          found = SizeSurprise{{good, i}, {poor, j}, true};
        }
  return found;
}

}  // namespace

std::optional<OneOrSeveral> one_or_several(const std::vector<ScaleCurve>& curves) {
  const auto one = cheapest_of(curves, [](const auto& p) { return p.train.layout.gpus == 1; });
  if (!one) return std::nullopt;
  const Bytes memory = at(curves, *one).train.memory_per_gpu;
  auto several = cheapest_of(curves, [memory](const auto& p) {
    return p.train.layout.gpus > 1 && p.train.memory_per_gpu < memory;
  });
  if (!several)
    several = cheapest_of(curves, [](const auto& p) { return p.train.layout.gpus > 1; });
  if (!several) return std::nullopt;
  return OneOrSeveral{*one, *several};
}

std::optional<SizeSurprise> size_surprise(const std::vector<ScaleCurve>& curves) {
  const auto smaller = smaller_that_wins(curves);
  return smaller ? smaller : larger_that_wins(curves);
}

}  // namespace loadfactor::engine

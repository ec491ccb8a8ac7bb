#include "engine/train/scale_decisions.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "base/quantity_text.h"
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

ScaleOption option(const SearchMachine& machine, std::string what, double before, double after) {
  ScaleOption out;
  out.what = std::move(what);
  out.gain = after / before - 1.0;
  if (const auto rent = machine.rent()) out.worth = *rent * std::max(0.0, out.gain);
  return out;
}

std::string rate_words(const ScalePoint& point) {
  return fmt::format(
      "{} × {} ({} tokens/s, {:.0f} % of the step in communication)", point.train.layout.gpus,
      point.train.accelerator_title,
      format_count(static_cast<long long>(point.train.tokens_per_s.value().base() + 0.5)),
      100.0 * point.communication);
}

std::string reason_words(const ChosenLayout& good, const ChosenLayout& poor) {
  return why_not(good, poor);
}

// Whether the limits of the scenario and its own layout leave room for as many GPUs again.
bool may_double(const SearchMachine& machine, const catalog::Catalog& catalog) {
  SearchMachine twice = machine;
  twice.scene.scene.job.layout.gpus *= 2;
  twice.paid_gpus *= 2;
  const auto& limit = machine.setup->scenario.limits.gpus;
  return (!limit || twice.gpus() <= limit->value) && !power_objection(catalog, twice);
}

std::vector<const ScalePoint*> all_points(const std::vector<ScaleCurve>& curves) {
  std::vector<const ScalePoint*> points;
  for (const auto& curve : curves)
    for (const auto& point : curve.points) points.push_back(&point);
  return points;
}

double rate_of(const ScalePoint& point) {
  return point.train.tokens_per_s.value().base();
}

}  // namespace

std::vector<ScaleOption> next_dollar(const SearchMachine& machine, const ChosenLayout& now,
                                     const ScaleRequest& request, const catalog::Catalog& catalog) {
  std::vector<ScaleOption> options;
  const auto paid = option_of(machine, now);
  const double before = useful_rate(catalog, machine, now, paid);
  const auto try_change = [&](std::string what, const JobChange& change) {
    const auto changed = best_layout_with(machine, request.search, change);
    if (!changed) return;
    options.push_back(
        option(machine, std::move(what), before, useful_rate(catalog, machine, *changed, paid)));
    options.back().why = reason_words(*changed, now);
  };
  const auto& chip = *machine.setup->job.chip;
  if (may_double(machine, catalog))
    try_change("twice the GPUs", [](auto& job) { job.layout.gpus *= 2; });
  if (chip.scale_out)
    try_change("twice the network per GPU", [&chip](auto& job) {
      job.fabric.scale_out = job.fabric.scale_out.value_or(chip.scale_out->bandwidth) * 2.0;
    });
  const auto larger = with_memory(chip, 1.5);
  try_change("half as much memory again per GPU", [&larger](auto& job) { job.chip = &larger; });
  std::stable_sort(options.begin(), options.end(),
                   [](const auto& a, const auto& b) { return a.gain > b.gain; });
  return options;
}

std::vector<std::string> link_decisions(const SearchMachine& machine, const ChosenLayout& now,
                                        const ScaleRequest& request,
                                        const catalog::Catalog& catalog) {
  std::vector<std::string> out;
  const auto paid = option_of(machine, now);
  const auto rate = [&](const ChosenLayout& chosen) {
    return useful_rate(catalog, machine, chosen, paid);
  };
  const double before = rate(now);
  const auto& chip = *machine.setup->job.chip;
  const int domain = std::max(1, chip.scale_up.domain);
  if (machine.gpus() > domain && domain > 1) {
    const auto tall = best_layout_with(machine, request.search, [&](auto& job) {
      job.fabric.scale_up_domain = std::min(job.layout.gpus, domain * 8);
    });
    if (tall)
      out.push_back(fmt::format(
          "taller or wider: a scale-up domain of {} instead of {} would bring {:+.1f} % ({})",
          std::min(machine.gpus(), domain * 8), domain, 100.0 * (rate(*tall) / before - 1.0),
          reason_words(*tall, now)));
  }
  const bool has_links =
      domain > 1 && !(chip.host && chip.scale_up.bandwidth <= chip.host->bandwidth);
  if (!has_links || machine.gpus() == 1) return out;
  const auto bare = best_layout_with(machine, request.search, [&chip](auto& job) {
    job.fabric.scale_up_domain = 1;
    if (chip.host && job.layout.gpus <= 8) job.fabric.scale_out = chip.host->bandwidth;
  });
  if (bare)
    out.push_back(fmt::format(
        "{} or none: over PCIe and the network alone the best is tp {}, {} at {:+.1f} % ({})",
        chip.scale_up.link.empty() ? "scale-up links" : chip.scale_up.link, bare->job.layout.tp,
        sharding_words(bare->job.layout.sharding), 100.0 * (rate(*bare) / before - 1.0),
        reason_words(now, *bare)));
  return out;
}

namespace {

// Per token; where one of them has no price, the faster.
const ScalePoint* cheapest_of(const std::vector<const ScalePoint*>& points,
                              const std::function<bool(const ScalePoint&)>& wanted) {
  const ScalePoint* best = nullptr;
  for (const auto* point : points) {
    if (!wanted(*point)) continue;
    const auto& cost = point->train.cost_per_token;
    const bool priced = best != nullptr && cost && best->train.cost_per_token;
    const bool better =
        best == nullptr || (priced ? cost->value() < best->train.cost_per_token->value()
                                   : rate_of(*point) > rate_of(*best));
    if (better) best = point;
  }
  return best;
}

}  // namespace

std::string one_or_several(const std::vector<ScaleCurve>& curves) {
  const auto points = all_points(curves);
  const auto* one = cheapest_of(points, [](const auto& p) { return p.train.layout.gpus == 1; });
  if (one == nullptr) return {};
  const auto* several = cheapest_of(points, [one](const auto& p) {
    return p.train.layout.gpus > 1 && p.train.memory_per_gpu < one->train.memory_per_gpu;
  });
  if (several == nullptr)
    several = cheapest_of(points, [](const auto& p) { return p.train.layout.gpus > 1; });
  if (several == nullptr) return {};
  const auto& a = one->train;
  const auto& b = several->train;
  std::string text =
      fmt::format("one or several: {} against {}", rate_words(*one), rate_words(*several));
  if (a.cost_per_token && b.cost_per_token) {
    const double ratio = a.cost_per_token->value() / b.cost_per_token->value();
    const double saved = 100.0 * (1.0 - std::min(ratio, 1.0 / ratio));
    text += saved < 0.5 ? std::string("; per token they cost the same")
                        : fmt::format("; the {} {:.0f} % cheaper per token",
                                      ratio <= 1.0 ? "single one is" : "several are", saved);
  }
  if (!a.layout.offload.empty())
    text +=
        fmt::format("; the single one must keep {} on the host", fmt::join(a.layout.offload, ", "));
  return text;
}

namespace {

// Why the larger machine is the slower one.
std::string loss_words(const ScalePoint& small, const ScalePoint& large) {
  const auto& a = small.train;
  const auto& b = large.train;
  std::vector<std::string> words;
  if (large.communication > small.communication + 0.02)
    words.push_back(fmt::format("the larger spends {:.0f} % of a step in communication",
                                100.0 * large.communication));
  if (!b.layout.offload.empty() && a.layout.offload.empty())
    words.push_back(
        fmt::format("the larger must keep {} on the host", fmt::join(b.layout.offload, " and ")));
  if (b.layout.recompute == "full" && a.layout.recompute != "full")
    words.emplace_back("the larger must recompute every layer");
  words.push_back(
      fmt::format("each of the fewer has {:.1f} times the dense peak and {:.1f} times "
                  "the memory",
                  a.peak / b.peak, a.memory_per_gpu / b.memory_per_gpu));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string smaller_is_better(const std::vector<ScaleCurve>& curves) {
  const ScalePoint* small = nullptr;
  const ScalePoint* large = nullptr;
  double most = 1.0;
  const auto points = all_points(curves);
  for (const auto* a : points)
    for (const auto* b : points) {
      if (a->train.layout.gpus >= b->train.layout.gpus || rate_of(*a) <= rate_of(*b)) continue;
      // Of machines that differ more in size the difference in cards says it all.
      if (b->train.layout.gpus > 2 * a->train.layout.gpus) continue;
      const double weight = rate_of(*a) / rate_of(*b) * b->train.layout.gpus / a->train.layout.gpus;
      if (weight <= most) continue;
      most = weight;
      small = a;
      large = b;
    }
  if (small == nullptr) return {};
  return fmt::format("A SMALLER MACHINE IS BETTER: {} lose to {}: {}.", rate_words(*large),
                     rate_words(*small), loss_words(*small, *large));
}

namespace {

// Against what one would expect: of two machines of about a size, the one whose larger number of
// slower accelerators has the shorter links.
bool wins_badly_linked(const ScaleCurve& good, const ScalePoint& a, const ScaleCurve& poor,
                       const ScalePoint& b) {
  const int fewer = a.train.layout.gpus;
  const int more = b.train.layout.gpus;
  // Of machines that differ in size by more than twice nobody would expect otherwise.
  return good.accelerator != poor.accelerator && poor.domain < good.domain && fewer < more &&
         more <= 2 * fewer && rate_of(a) < rate_of(b) && rate_of(b) / more < rate_of(a) / fewer;
}

}  // namespace

std::string larger_wins(const std::vector<ScaleCurve>& curves) {
  const ScalePoint* small = nullptr;
  const ScalePoint* large = nullptr;
  for (const auto& good : curves)
    for (const auto& poor : curves)
      for (const auto& a : good.points)
        for (const auto& b : poor.points) {
          if (!wins_badly_linked(good, a, poor, b)) continue;
          if (large != nullptr && rate_of(*large) >= rate_of(b)) continue;
          small = &a;
          large = &b;
        }
  if (large == nullptr) return {};
  const auto peak = [](const ScalePoint& point) {
    return point.train.peak * point.train.layout.gpus;
  };
  const auto& layout = large->train.layout;
  return fmt::format(
      "MORE GPUS WIN: {} beat {}: together they have {:.1f} times the dense peak, and with tp {}, "
      "pp {} and {} little has to travel.",
      rate_words(*large), rate_words(*small), peak(*large) / peak(*small), layout.tp, layout.pp,
      layout.sharding == "none" ? "nothing sharded" : layout.sharding);
}

}  // namespace loadfactor::engine

// Layouts that cannot be, and layouts that should not.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "resolve/train/train_layout.h"
#include "training/memory/stage_split.h"
#include "workload/sharding.h"

namespace loadfactor::engine {
namespace {

using config::Given;

class LayoutCheck {
 public:
  LayoutCheck(TrainSetup& setup, Diagnostics& diagnostics)
      : setup_(setup), diagnostics_(diagnostics), layout_(setup.asked_layout()) {}

  void run() {
    check_heads();
    check_sequence();
    check_layers();
    check_rounds();
    check_recompute();
    check_experts();
    check_sharding();
    check_offload();
    check_group();
    check_depth();
    check_gpus();
    check_batch();
    check_formats();
    advise();
  }

 private:
  const catalog::ModelSpec& model() const { return *setup_.job.model; }
  int value(const Given<int>& given) const { return given ? given->value : 1; }
  void report(int code, config::Position at, std::string message, std::string hint = {}) {
    diagnostics_.add(setup_.error(code, at, std::move(message), std::move(hint)));
  }

  void check_heads() {
    if (!layout_.tp) return;
    const int tp = layout_.tp->value;
    const auto legal = workload::legal_tp(model(), std::max(tp * 2, 8));
    if (std::find(legal.begin(), legal.end(), tp) != legal.end()) return;
    const int nearest = nearest_of(legal, tp);
    report(lf::kNotDivisible, layout_.tp->position,
           fmt::format("{} heads of {} do not divide by tp {}", heads(), model().title, tp),
           fmt::format("nearest that does: tp: {}", nearest));
  }
  int heads() const {
    int most = 0;
    for (const auto& kind : model().kinds) most = std::max(most, kind.attention.heads);
    return most;
  }
  static int nearest_of(const std::vector<int>& values, int wanted) {
    int best = 1;
    for (const int candidate : values) {
      if (std::abs(candidate - wanted) < std::abs(best - wanted)) best = candidate;
    }
    return best;
  }

  // Sequence parallelism gives every rank of tp and cp an equal part.
  void check_sequence() {
    if (!layout_.tp || layout_.tp->value == 1) return;
    const std::int64_t parts = std::int64_t{layout_.tp->value} * value(layout_.cp);
    if (setup_.job.sequence % parts == 0) return;
    const std::int64_t above = (setup_.job.sequence / parts + 1) * parts;
    const auto& wanted = layout_.sequence_parallel;
    if (wanted && wanted->value)
      return report(
          lf::kNotDivisible, wanted->position,
          fmt::format("sequences of {} tokens do not divide by tp · cp = {} ranks",
                      setup_.job.sequence, parts),
          fmt::format("nearest that does: sequence: {}; or sequence_parallel: false", above));
    if (setup_.job.stack->sequence_parallel && !wanted)
      setup_.note({.id = "no-sequence-parallelism",
                   .severity = Severity::kCaution,
                   .arguments = {{"tokens", std::to_string(setup_.job.sequence)},
                                 {"ranks", std::to_string(parts)},
                                 {"nearest", std::to_string(above)}}});
  }

  // Two slots may stay empty: embedding and head stand beside them.
  void check_layers() {
    const int layers = model().num_layers();
    const std::int64_t slots = std::int64_t{value(layout_.pp)} * value(layout_.vp);
    if (layout_.first_layers || layout_.last_layers) return check_ends();
    const bool uneven = layout_.gpus && layout_.gpus->value % value(layout_.pp) != 0;
    if (!layout_.pp || slots <= 1 || uneven) return;  // check_depth tells that.
    const config::Position place = (layout_.vp ? layout_.vp : layout_.pp)->position;
    const std::string stages =
        layout_.vp ? fmt::format("pp · vp = {}", slots) : fmt::format("pp {}", slots);
    const std::int64_t spare = (layers + slots - 1) / slots * slots - layers;
    if (spare == 0) return;
    if (spare <= 2 && slots <= layers) {
      setup_.note({.id = "uneven-stages",
                   .arguments = {{"layers", std::to_string(layers)},
                                 {"stages", stages},
                                 {"empty", counted(spare, "slot")}}});
      return;
    }
    if (value(layout_.vp) == 1 && slots <= layers) {
      setup_.note({.id = "uneven-stages",
                   .severity = Severity::kCaution,
                   .arguments = {{"code", fmt::format("LF{}", lf::kNotDivisible)},
                                 {"layers", std::to_string(layers)},
                                 {"stages", stages},
                                 {"nearest", nearest_stages()}}});
      return;
    }
    report(lf::kNotDivisible, place,
           fmt::format("{} layers of {} do not divide by {}", layers, model().title, stages),
           fmt::format("nearest that does: {}", nearest_stages()));
  }

  // Chunks take turns in whole rounds of as many micro-batches as there are stages. Single
  // sequences make rounds wherever anything does.
  void check_rounds() {
    const auto& batch = setup_.ask().global_batch;
    const auto dp = fixed_dp();
    const auto& word = layout_.schedule;
    const bool named = word && word->value == config::ScheduleWord::kInterleaved;
    if (!(named || value(layout_.vp) > 1) || !batch || !dp || !layout_.pp) return;
    const std::int64_t replica = *dp * (layout_.micro_batch ? layout_.micro_batch->value : 1);
    const std::int64_t count = batch->value / replica;
    const int pp = layout_.pp->value;
    if (batch->value % replica != 0 || count % pp == 0) return;
    const std::int64_t round = replica * pp;
    const std::int64_t below = batch->value / round * round;
    report(lf::kNotDivisible, named ? word->position : layout_.vp->position,
           fmt::format("interleaving takes micro-batches in whole rounds of pp {}, and {} are none",
                       pp, count),
           fmt::format("nearest that are: global_batch: {}{}; or schedule: 1f1b without vp",
                       below > 0 ? fmt::format("{} and ", below) : "", below + round));
  }

  // A module that the model does not have cannot be recomputed.
  void check_recompute() {
    const auto any = [&](auto has) {
      return std::any_of(model().kinds.begin(), model().kinds.end(), has);
    };
    using config::ModuleWord;
    for (const ModuleWord word : layout_.recompute_modules) {
      std::string lacks;
      if (word == ModuleWord::kMlp &&
          !any([](const auto& kind) { return kind.mlp.width > 0 || kind.moe.shared_width > 0; }))
        lacks = "MLP that every token takes";
      if (word == ModuleWord::kExperts && !model().has_experts()) lacks = "experts";
      if (word == ModuleWord::kLatentUp && !any([](const auto& kind) {
            return kind.attention.kind == catalog::AttentionKind::kLatent;
          }))
        lacks = "latent attention";
      if (!lacks.empty())
        report(lf::kContradictoryKeys, layout_.recompute->position,
               fmt::format("{} has no {} to recompute", model().title, lacks), "leave it out");
    }
  }

  // Stages between the ends hold equally many; where one end alone is written, so does the other.
  void check_ends() {
    if (!layout_.pp) return;
    const int layers = model().num_layers();
    const config::Position place =
        layout_.first_layers ? layout_.first_layers->position : layout_.last_layers->position;
    if (training::middle_layers(layers, with_ends(0, 0)) > 0) return;
    const bool both = layout_.first_layers && layout_.last_layers;
    const int between = layout_.pp->value - (both ? 2 : 1);
    report(lf::kNotDivisible, place,
           fmt::format("{} layers of {} less those of the end{} do not divide by the other {} "
                       "stage{}{}",
                       layers, model().title, both ? "s" : "", between, between == 1 ? "" : "s",
                       value(layout_.vp) > 1
                           ? fmt::format(" and every stage by its {} chunks", layout_.vp->value)
                           : ""),
           nearest_ends());
  }
  // The ends that are written, moved by so much; the other as those between.
  training::Layout with_ends(int first, int last) const {
    training::Layout out;
    out.pp = value(layout_.pp);
    out.vp = value(layout_.vp);
    const int layers = model().num_layers();
    const auto rest = [&](int one) { return training::other_layers(layers, out.pp, one); };
    if (layout_.first_layers) out.first_layers = layout_.first_layers->value + first;
    if (layout_.last_layers) out.last_layers = layout_.last_layers->value + last;
    if (!layout_.first_layers) out.first_layers = rest(out.last_layers);
    if (!layout_.last_layers) out.last_layers = rest(out.first_layers);
    return out;
  }
  std::string nearest_ends() const {
    const int layers = model().num_layers();
    int least = layers + 1;
    std::string nearest = "leave both out";
    for (int first = -layers; first <= layers; ++first) {
      for (int last = -layers; last <= layers; ++last) {
        const int moved = std::abs(first) + std::abs(last);
        const training::Layout ends = with_ends(first, last);
        if (moved >= least || training::middle_layers(layers, ends) == 0) continue;
        least = moved;
        nearest = fmt::format("nearest that do: first_layers: {}, last_layers: {}",
                              ends.first_layers, ends.last_layers);
      }
    }
    return nearest;
  }
  std::string nearest_stages() const {
    const int layers = model().num_layers();
    const int wanted = value(layout_.pp);
    const int vp = value(layout_.vp);
    std::vector<int> divisors;
    for (int pp = 1; pp <= layers; ++pp) {
      if (layers % pp == 0 && (!layout_.gpus || layout_.gpus->value % pp == 0))
        divisors.push_back(pp);
    }
    const int pp = layers % wanted == 0 ? wanted : nearest_of(divisors, wanted);
    if (vp == 1) return fmt::format("pp: {}", pp);
    std::vector<int> chunks;
    for (int c = 1; c <= layers / pp; ++c) {
      if (layers / pp % c == 0) chunks.push_back(c);
    }
    return fmt::format("pp: {}, vp: {}", pp, nearest_of(chunks, vp));
  }

  void check_experts() {
    const int ep = value(layout_.ep);
    const int etp = value(layout_.etp);
    if (ep * std::int64_t{etp} <= 1) return;
    const config::Position place = layout_.ep ? layout_.ep->position : layout_.etp->position;
    if (!model().has_experts())
      return report(lf::kContradictoryKeys, place,
                    fmt::format("{} has no experts to spread", model().title), "leave it out");
    for (const auto& kind : model().kinds) {
      const int experts = kind.moe.experts;
      if (experts == 0 || experts % ep == 0) continue;
      std::vector<int> divisors;
      for (int d = 1; d <= experts; ++d) {
        if (experts % d == 0) divisors.push_back(d);
      }
      report(lf::kNotDivisible, place,
             fmt::format("{} experts of {} do not divide by ep {}", experts, model().title, ep),
             fmt::format("nearest that does: ep: {}", nearest_of(divisors, ep)));
      return;
    }
    const auto dp = fixed_dp();
    if (!dp || !layout_.tp) return;
    const std::int64_t ranks = *dp * layout_.tp->value * value(layout_.cp);
    if (ranks % (std::int64_t{ep} * etp) != 0)
      report(lf::kNotDivisible, place,
             fmt::format("the {} ranks of a stage (tp · cp · dp) do not divide by ep · etp = {}",
                         ranks, ep * std::int64_t{etp}),
             "experts are spread over the ranks of one pipeline stage");
  }

  void check_group() {
    const auto dp = fixed_dp();
    if (!layout_.shard_group || !dp) return;
    const std::int64_t ranks = *dp * value(layout_.cp);
    const int group = layout_.shard_group->value;
    if (group < ranks && ranks % group == 0) return;
    std::int64_t nearest = 0;
    for (std::int64_t size = 2; size < ranks; ++size) {
      if (ranks % size == 0 && std::abs(size - group) < std::abs(nearest - group)) nearest = size;
    }
    report(lf::kNotDivisible, layout_.shard_group->position,
           fmt::format("{} data-parallel ranks are not several groups of {}", ranks, group),
           nearest > 0 ? fmt::format("nearest that is: shard_group: {}", nearest)
                       : std::string("leave it out"));
  }

  // Keys that need others, and experts that a model must have.
  void check_formats() {
    const bool is_whole = layout_.zero && layout_.zero->value == 0;
    if (layout_.compression && !is_whole)
      report(lf::kContradictoryKeys, layout_.compression->position,
             "compressed gradients are whole on every rank", "zero: 0 beside it");
    if (!layout_.moe) return;
    if (!model().has_experts())
      report(lf::kContradictoryKeys, layout_.moe->position,
             fmt::format("{} has no experts", model().title), "leave 'moe' out");
    const bool is_padded = layout_.moe->padded && layout_.moe->padded->value;
    if (is_padded && !layout_.moe->capacity_factor)
      report(lf::kMissingKey, layout_.moe->padded->position,
             "experts are filled up to a capacity that is not given",
             "capacity_factor: 1.25 beside it");
  }

  void check_sharding() {
    const bool full = layout_.zero && layout_.zero->value == 3;
    const bool pipeline = layout_.pp && layout_.pp->value > 1;
    if (!full || !pipeline) return;
    if (setup_.job.stack->memory.pipeline_gradient > 0) {
      setup_.note({.id = "sharded-pipeline"});
      return;
    }
    report(lf::kContradictoryKeys, layout_.zero->position,
           fmt::format("zero: 3 with pp: {}: {} cannot shard parameters under a pipeline",
                       layout_.pp->value, setup_.job.stack->title),
           fmt::format("nearest that it can: zero: 1 with pp: {}, or zero: 3 with pp: 1",
                       layout_.pp->value));
  }

  // Parameters that rest on the host are shards, which are gathered for their layers: zero: 2 and
  // below keep whole ones on every device.
  void check_offload() {
    if (!layout_.offload || !layout_.zero || layout_.zero->value == 3) return;
    const auto& words = layout_.offload->value;
    const auto dp = fixed_dp();
    const bool alone = dp && *dp * value(layout_.cp) == 1;
    const bool away =
        std::find(words.begin(), words.end(), config::OffloadWord::kParameters) != words.end();
    if (!away || alone) return;
    report(lf::kContradictoryKeys, layout_.offload->position,
           fmt::format("offload: parameters with zero: {}: only shards of parameters leave the "
                       "device",
                       layout_.zero->value),
           "zero: 3 beside it, or leave 'parameters' out of offload");
  }

  // dp where everything it follows from is written.
  std::optional<std::int64_t> fixed_dp() const {
    if (layout_.dp) return layout_.dp->value;
    if (!layout_.gpus || !layout_.tp || !layout_.pp) return std::nullopt;
    const std::int64_t replica =
        std::int64_t{layout_.tp->value} * layout_.pp->value * value(layout_.cp);
    if (layout_.gpus->value % replica != 0) return std::nullopt;
    return layout_.gpus->value / replica;
  }

  // Stages take an equal part of the GPUs and hold a layer each.
  void check_depth() {
    if (!layout_.gpus || !layout_.pp) return;
    const int gpus = layout_.gpus->value;
    const int wanted = layout_.pp->value;
    if (gpus % wanted == 0) return;
    const int most = std::min(gpus, model().num_layers());
    int below = std::min(wanted, most);
    while (gpus % below != 0) --below;
    int above = wanted;
    while (above <= most && gpus % above != 0) ++above;
    report(lf::kNotDivisible, layout_.gpus->position,
           fmt::format("tp, pp, cp and dp as given do not divide {} GPUs", gpus),
           fmt::format("gpus = tp · pp · cp · dp; {}: pp: {}{}",
                       above > most ? "nearest that does" : "nearest that do", below,
                       above > most ? "" : fmt::format(" and {}", above)));
  }

  void check_gpus() {
    const auto& limit = setup_.scenario.limits.gpus;
    const bool written = layout_.tp && layout_.pp && layout_.dp && !layout_.gpus;
    const double least =
        1.0 * value(layout_.tp) * value(layout_.pp) * value(layout_.cp) * value(layout_.dp);
    if (limit && !layout_.gpus && least > static_cast<double>(limit->value))
      report(lf::kInconsistentFigures, layout_.position,
             fmt::format("tp · pp · cp · dp is {}{} GPUs, more than limits.gpus allows: {}", least,
                         written ? "" : " or more", limit->value),
             "make one of them smaller, or raise the limit");
    if (limit && layout_.gpus && layout_.gpus->value > limit->value)
      report(lf::kInconsistentFigures, layout_.gpus->position,
             fmt::format("{} GPUs are more than limits.gpus allows: {}", layout_.gpus->value,
                         limit->value),
             fmt::format("write gpus: {}, or raise the limit", limit->value));
    constexpr double kMostGpus = 1e7;
    const double product =
        1.0 * value(layout_.tp) * value(layout_.pp) * value(layout_.cp) * value(layout_.dp);
    if (product > kMostGpus)
      report(lf::kAbsurdMagnitude, layout_.position,
             fmt::format("tp · pp · cp · dp is {} GPUs", format_short_count(product)),
             "no machine is that large");
    if (!layout_.gpus || !layout_.dp || (layout_.tp && layout_.pp && layout_.cp)) return;
    if (layout_.gpus->value < product)
      report(lf::kInconsistentFigures, layout_.gpus->position,
             fmt::format("tp · pp · cp · dp is {} at least, not {}",
                         static_cast<std::int64_t>(product), layout_.gpus->value),
             "gpus = tp · pp · cp · dp");
  }

  void check_batch() {
    const auto& batch = setup_.ask().global_batch;
    const auto dp = fixed_dp();
    if (!batch || !dp || layout_.dp) return;  // With dp written the reader has checked it.
    const std::int64_t step = *dp * (layout_.micro_batch ? layout_.micro_batch->value : 1);
    if (batch->value % step == 0) return;
    const std::int64_t below = batch->value / step * step;
    report(lf::kNotDivisible, batch->position,
           fmt::format("a global batch of {} is not a multiple of dp · micro_batch = {}",
                       batch->value, step),
           below > 0 ? fmt::format("nearest that are: {} and {}", below, below + step)
                     : fmt::format("nearest that is: {}", step));
  }

  void advise() {
    const auto& chip = *setup_.job.chip;
    const int domain = std::max(chip.scale_up.domain, 1);
    if (layout_.tp && layout_.tp->value > domain)
      setup_.note({.id = "tp-beyond-domain",
                   .arguments = {
                       {"code", fmt::format("LF{}", lf::kOutsideScaleUpDomain)},
                       {"tp", std::to_string(layout_.tp->value)},
                       {"accelerator", chip.title},
                       {"domain", std::to_string(domain)},
                       {"nearest", fmt::format("{}", nearest_of(workload::legal_tp(model(), domain),
                                                                domain))}}});
    const bool sequence = layout_.sequence_parallel && layout_.sequence_parallel->value;
    if (sequence && layout_.tp && layout_.tp->value == 1)
      setup_.note({.id = "no-sequence-parallelism"});
  }

  TrainSetup& setup_;
  Diagnostics& diagnostics_;
  config::Layout layout_;
};

}  // namespace

void check_layout(TrainSetup& setup, Diagnostics& diagnostics) {
  check_software(setup, diagnostics);
  LayoutCheck(setup, diagnostics).run();
}

}  // namespace loadfactor::engine

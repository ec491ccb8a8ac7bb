// One training layout in detail: scenario in, memory, time and reasons out.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "engine/core.h"
#include "engine/train/missed_limits.h"
#include "engine/train/run_stages.h"
#include "engine/train/search_machines.h"
#include "engine/train/train_answer.h"
#include "engine/train/train_goodput.h"
#include "resolve/train/train_layout.h"
#include "resolve/train/train_setup.h"
#include "resolve/train/train_site.h"
#include "resolve/train/train_stack.h"
#include "resolve/train/unkept_keys.h"
#include "search/layout_space.h"

namespace loadfactor {
namespace {

using engine::ChosenLayout;
using engine::TrainSetup;

// Whether a search would have layouts where `train` by itself has none.
bool search_has_more(const TrainSetup& setup, const config::Layout& asked) {
  if (!asked.gpus) return false;
  training::TrainingJob job = setup.job;
  job.layout.gpus = asked.gpus->value;
  if (job.global_batch == 0) job.global_batch = engine::usual_batch(setup, job.layout.gpus);
  return !search::LayoutSpace(job, asked, {}).slices().empty();
}

Error no_legal_layout(const TrainSetup& setup) {
  const config::Layout asked = setup.asked_layout();
  const auto& batch = setup.ask().global_batch;
  const config::Position place = asked.gpus ? asked.gpus->position : setup.ask().position;
  const auto unkept = engine::unkept_keys(asked, [&setup](const config::Layout& open) {
    return engine::choose_layout(setup, open).has_value();
  });
  const std::string why = unkept.empty()
                              ? std::string("heads, layers, GPUs and batch do not divide")
                              : engine::unkept_words(unkept);
  return setup.error(
      lf::kNotDivisible, place, "no layout agrees with what is written: " + why,
      fmt::format("leave {} blank, or change gpus{}{}", unkept.empty() ? "more" : unkept[0].key,
                  batch ? fmt::format(" or the batch of {}", batch->value) : std::string(),
                  search_has_more(setup, asked)
                      ? "; `train --search` has layouts: it looks at every cp and micro-batch"
                      : ""));
}

// Says what was chosen and not written.
void confess_choices(const ChosenLayout& chosen, TrainSetup& setup) {
  const auto written = engine::written_keys(setup.asked_layout());
  std::vector<engine::LayoutKey> keys;
  for (auto& key : engine::layout_keys(chosen.job)) {
    const bool given = std::any_of(written.begin(), written.end(),
                                   [&key](const auto& other) { return other.key == key.key; });
    if (!given) keys.push_back(std::move(key));
  }
  if (!keys.empty()) {
    Notice notice{.id = "chosen-layout", .arguments = {{"keys", engine::keys_text(keys)}}};
    if (chosen.considered > 1)
      notice.arguments.push_back({"layouts", fmt::format("{}", chosen.considered)});
    setup.notices.push_back(std::move(notice));
  }
  if (!setup.ask().global_batch)
    setup.notices.push_back(
        {.id = "default-batch", .arguments = {{"batch", format_count(chosen.job.global_batch)}}});
}

void advise(const ChosenLayout& chosen, TrainSetup& setup) {
  const auto& layout = chosen.job.layout;
  const std::int64_t count = chosen.job.global_batch / (layout.micro_batch * layout.dp);
  if (layout.schedule == training::Schedule::kDualPipe && layout.pp % 2 != 0)
    setup.notices.push_back({.id = "unpaired-stages",
                             .arguments = {{"pp", fmt::format("{}", layout.pp)},
                                           {"less", fmt::format("{}", layout.pp - 1)},
                                           {"more", fmt::format("{}", layout.pp + 1)}}});
  const auto& zero = setup.asked_layout().zero;
  if (zero && zero->value > 0 && layout.dp * layout.cp == 1)
    setup.notices.push_back(
        {.id = "nothing-to-shard", .arguments = {{"zero", fmt::format("{}", zero->value)}}});
  if (count < layout.pp)
    setup.notices.push_back({.id = "starved-pipeline",
                             .arguments = {{"micro_batches", fmt::format("{}", count)},
                                           {"stages", fmt::format("{}", layout.pp)}}});
  if (chosen.plan.verdict == training::Verdict::kTight)
    setup.notices.push_back(
        {.id = "tight-memory",
         .arguments = {{"needed", fmt::format("{:.0f} %", 100.0 * chosen.plan.fill())}}});
}

void note_duration(const TrainAnswer& answer, TrainSetup& setup) {
  if (auto brief = engine::note_short_run(setup, answer.global_batch))
    setup.notices.push_back(*std::move(brief));
  if (!answer.duration) return;
  if (answer.whole)
    setup.notices.push_back({.id = "goodput-counted",
                             .arguments = {{"share", percent_text(1.0 - answer.paid_share())}}});
  if (answer.duration && !answer.cost)
    setup.note({.id = "no-rent", .arguments = {{"accelerator", answer.accelerator}}});
}

Notice note_missed(const MissedLimit& missed) {
  using Key = MissedLimit::Key;
  const auto percent = [](double share) { return fmt::format("{:.3g} %", 100.0 * share); };
  switch (missed.key) {
    case Key::kDeadline:
      return {.id = "deadline-missed", .arguments = {{"limit", days_text(missed.deadline)}}};
    case Key::kBudget:
      return {.id = "budget-missed", .arguments = {{"limit", format_display(any(missed.budget))}}};
    case Key::kHeadroom:
      return {.id = "limit-missed",
              .arguments = {{"headroom", percent(missed.headroom)},
                            {"needed", fmt::format("{:.0f} %", 100.0 * missed.memory_needed)}}};
    case Key::kSitePower:
    case Key::kRackPower:
      break;
  }
  Notice notice{.id = "limit-missed", .arguments = engine::arguments_of(missed.objection)};
  notice.arguments.push_back({missed.key == Key::kSitePower ? "site_power" : "rack_power",
                              format_display(any(missed.power))});
  return notice;
}

// A layout that is written is answered for whatever it misses; what cannot be judged is said.
void judge_limits(const catalog::Catalog& catalog, double fill, TrainAnswer& answer,
                  TrainSetup& setup) {
  const auto& limits = setup.scenario.limits;
  if (limits.headroom && fill > 1.0 - limits.headroom->value)
    answer.missed.push_back({.key = MissedLimit::Key::kHeadroom,
                             .headroom = limits.headroom->value,
                             .memory_needed = fill});
  for (auto& limit : engine::missed_power(catalog, setup, answer.paid_gpus, answer.layout.gpus))
    answer.missed.push_back(std::move(limit));
  for (const auto& missed : answer.missed) setup.notices.push_back(note_missed(missed));
  if (!answer.tokens && (limits.budget || setup.ask().deadline))
    setup.notices.push_back(
        {.id = "limits-without-tokens",
         .arguments = {{"limits", !limits.budget         ? "train.deadline"
                                  : setup.ask().deadline ? "train.deadline and limits.budget"
                                                         : "limits.budget"}}});
  if (limits.budget && answer.duration && !answer.cost)
    setup.notices.push_back({.id = "budget-without-rent"});
}

// Stages that follow, on the same GPUs.
engine::LaterStages stages_after(const TrainSetup& setup, const ChosenLayout& first) {
  if (setup.ask().stages.empty()) return {};
  search::SearchScene scene;
  scene.scene = engine::scene_of(setup, first.job);
  const auto& headroom = setup.scenario.limits.headroom;
  scene.fullest = 1.0 - (headroom ? headroom->value : 0.0);
  return engine::later_stages(setup, scene, {});
}

Error stage_fits_nowhere(const TrainSetup& setup, std::size_t index, int gpus) {
  const auto& sequence = *setup.ask().stages[index].sequence;
  return setup.error(lf::kDoesNotFit, sequence.position,
                     fmt::format("sequences of {} tokens fit in no layout of {}",
                                 format_count(sequence.value), counted(gpus, "GPU")),
                     "more GPUs, a batch that they divide, or shorter sequences would");
}

// Another stack with which what was asked fits, and the edit that names it; empty where none does.
std::string other_stack_that_fits(const TrainInputs& request, const catalog::Catalog& catalog,
                                  const engine::TrainSetup& setup) {
  for (const std::string& name : engine::other_usual_stacks(setup)) {
    TrainInputs other = request;
    other.scenario =
        request.scenario.with({{"train.stack"}, {"train.stack.framework", std::string(name)}});
    Diagnostics unread;
    const auto made = engine::make_train_setup(other, catalog, unread);
    if (!made) continue;
    engine::check_layout(*made, unread);
    if (!unread.empty()) continue;
    const auto chosen = engine::choose_layout(*made, made->asked_layout());
    if (chosen && chosen->fits())
      return fmt::format("with {} it fits: --set train.stack.framework={}", made->job.stack->title,
                         name);
  }
  return {};
}

}  // namespace

std::optional<TrainAnswer> engine::Core::train(const TrainInputs& request,
                                               Diagnostics& diagnostics) const {
  const auto setup = engine::make_train_setup(request, *catalog_, diagnostics);
  if (!setup) return std::nullopt;
  engine::check_layout(*setup, diagnostics);
  if (!diagnostics.empty()) return std::nullopt;
  auto chosen = engine::choose_layout(*setup, setup->asked_layout());
  if (!chosen) {
    diagnostics.add(no_legal_layout(*setup));
    return std::nullopt;
  }
  TrainAnswer answer = engine::describe_training(*setup, *chosen);
  if (!answer.fits) {
    auto nearest = engine::nearest_that_fits(*setup);
    answer.nearest = std::move(nearest.keys);
    answer.nearest_changes = std::move(nearest.changes);
    const std::string other =
        answer.nearest.empty() ? other_stack_that_fits(request, *catalog_, *setup) : "";
    if (!other.empty())
      answer.nearest_changes += (answer.nearest_changes.empty() ? "" : "; ") + other;
  }
  if (answer.fits) {
    const auto later = stages_after(*setup, *chosen);
    if (later.unfit) {
      diagnostics.add(stage_fits_nowhere(*setup, *later.unfit, answer.layout.gpus));
      return std::nullopt;
    }
    engine::add_stages(later, answer);
  }
  if (answer.fits && request.trace) engine::add_trace(*setup, *chosen, answer);
  if (answer.fits) engine::add_goodput(*catalog_, *setup, answer);
  if (auto rent = engine::note_rent(*catalog_, *setup); rent && answer.cost)
    setup->notices.push_back(*std::move(rent));
  if (auto api = engine::note_api_alone(*setup)) setup->notices.push_back(*std::move(api));
  confess_choices(*chosen, *setup);
  if (answer.fits) advise(*chosen, *setup);
  if (answer.fits) judge_limits(*catalog_, chosen->plan.fill(), answer, *setup);
  if (answer.goodput && !answer.stalled)
    if (auto often = engine::note_interval(*catalog_, *setup, *answer.goodput))
      setup->notices.push_back(*std::move(often));
  note_duration(answer, *setup);
  std::move(setup->notices.begin(), setup->notices.end(), std::back_inserter(answer.notices));
  return answer;
}

}  // namespace loadfactor

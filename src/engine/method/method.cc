#include "engine/method/method.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "config/scenario/scenario_words.h"
#include "engine/method/formats.h"
#include "engine/method/learning.h"
#include "engine/method/shares.h"
#include "engine/method/whole_run.h"
#include "engine/method/workshop.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {
namespace {

using config::MethodWord;
using config::PlacementWord;

std::string word_of(MethodWord kind) {
  for (const auto& word : config::kMethodWords)
    if (word.value == kind) return std::string(word.text);
  return {};
}

Error no_number(const config::Scenario& scenario) {
  return scenario.error(lf::kMissingKey, scenario.train->method->position,
                        "nothing says how many GPUs the run has",
                        "write limits: {gpus: 64}; or train.layout.gpus for the trainer and "
                        "method.rollout.gpus for the engine");
}

// Where a number is written and no share of it works.
Error no_share(const Workshop& shop, const AskedGpus& asked, int smallest) {
  const int gpus = std::max(asked.all, asked.training);
  return shop.scenario().error(
      lf::kDoesNotFit, shop.method().position,
      fmt::format("{} cannot be shared between writing and learning as the scenario says: a "
                  "replica of the engine takes {}",
                  counted(gpus, "GPU"), smallest),
      "give the run more GPUs, in a number that replicas divide, or leave 'placement', "
      "'off_policy' "
      "and 'rollout' open");
}

// Where more are written than the limit allows.
std::optional<Error> find_too_many(const config::Scenario& scenario) {
  const AskedGpus asked = asked_gpus(scenario);
  if (asked.all == 0 || asked.rollout == 0 || asked.training + asked.rollout <= asked.all)
    return std::nullopt;
  return scenario.error(
      lf::kInconsistentFigures, scenario.train->method->rollout->gpus->position,
      fmt::format("{} that write and {} that learn are more than limits.gpus allows: {}",
                  counted(asked.rollout, "GPU"), asked.training, asked.all),
      "let fewer of them write or learn, or raise the limit");
}

bool is_better(const Worked& a, const Worked& b) {
  return a.step.value() < b.step.value();
}

MethodSplit split_of(const Worked& worked) {
  return {.rollout_gpus = worked.share.rollout,
          .training_gpus = worked.share.training,
          .tp = worked.share.tp,
          .max_seqs = worked.max_seqs,
          .rollout = worked.rollout,
          .learning = worked.learning,
          .step = worked.step.value()};
}

// A list of shares that were tried has each number of GPUs once, with the engine that suits it
// best.
std::vector<MethodSplit> splits_of(const std::vector<Worked>& all) {
  std::vector<MethodSplit> splits;
  for (const Worked& worked : all) {
    const bool is_known = std::any_of(splits.begin(), splits.end(), [&](const MethodSplit& split) {
      return split.rollout_gpus == worked.share.rollout &&
             split.training_gpus == worked.share.training;
    });
    if (!is_known) splits.push_back(split_of(worked));
  }
  return splits;
}

// What of all GPU time does nothing, and why.
void add_idle(const Worked& best, MethodAnswer& answer) {
  const double all = best.step.value().base() * best.share.gpus();
  if (all <= 0) return;
  double busy = 0, tail = 0;
  for (const MethodPhase& phase : best.phases) {
    const double spent = phase.time.value().base() * phase.gpus;
    busy += spent * phase.busy;
    if (phase.kind == MethodPhase::Kind::kRollout) tail += spent * (1 - phase.busy);
  }
  answer.idle = std::max(0.0, 1.0 - busy / all);
  answer.idle_tail = std::min(answer.idle, tail / all);
  answer.idle_pool = answer.idle - answer.idle_tail;
}

void describe_answers(const Workshop& shop, MethodAnswer& answer) {
  const Answers& answers = shop.answers();
  answer.prompts = answers.prompts;
  answer.group = answers.group;
  answer.answers = answers.count();
  answer.prompt_tokens = Tokens::from_base(answers.prompt_tokens);
  answer.answer_tokens = Tokens::from_base(answers.mean());
  answer.longest_answer = Tokens::from_base(answers.longest());
}

MethodAnswer describe(Workshop& shop, const std::vector<Worked>& all) {
  const Worked& best = all.front();
  const Lessons lessons = shop.lessons();
  MethodAnswer answer;
  answer.method = word_of(shop.method().kind.value);
  answer.colocated = best.share.colocated;
  answer.gpus = best.share.gpus();
  answer.rollout_gpus = best.share.rollout;
  answer.training_gpus = best.share.training;
  answer.rollout_tp = best.share.tp;
  answer.off_policy = shop.method().off_policy ? shop.method().off_policy->value : 0;
  answer.step_tokens = Tokens::from_base(static_cast<double>(lessons.texts * lessons.tokens));
  answer.phases = best.phases;
  answer.beside = best.beside;
  answer.on_host = best.on_host;
  answer.step = best.step;
  answer.steps = lessons.steps;
  if (shop.writes()) {
    describe_answers(shop, answer);
    const SimulateSetup& engine = shop.bench(best.share)->setup();
    answer.engine = engine.engine->title;
    answer.rollout_max_seqs = best.max_seqs;
    answer.rollout_precision = engine.pools.front()->plan.choice.precision;
    answer.simulated_answers = best.written.simulated;
    answer.longest_wait = std::max(Seconds(), best.written.time - best.written.half);
    answer.splits = splits_of(all);
  }
  add_idle(best, answer);
  return answer;
}

// What was cut of the answers, and whether a sample of them was simulated.
void add_notices(const Workshop& shop, const Worked& best, std::vector<Notice>& notices) {
  const Answers& answers = shop.answers();
  if (answers.cut_by != CutBy::kNothing) {
    Notice cut{.id = "cut-answers",
               .severity = answers.cut_by == CutBy::kWritten ? Severity::kNote : Severity::kCaution,
               .arguments = {{"share", fmt::format("{:.1f} %", 100 * answers.cut_share)},
                             {"most", format_count(std::llround(answers.most))},
                             {"mean", format_count(std::llround(answers.mean()))},
                             {"asked", format_count(std::llround(answers.asked_mean))}}};
    if (answers.cut_by == CutBy::kContext) cut.arguments.push_back({"by_context", ""});
    if (answers.cut_by == CutBy::kUsual) cut.arguments.push_back({"by_habit", ""});
    notices.push_back(std::move(cut));
  }
  // Products in a format that the chip lacks, of which the engine's resolution speaks.
  for (const Notice& notice : shop.engine_notices(best.share))
    if (notice.id == "no-arithmetic") notices.push_back(notice);
  const int steps = best.together;
  const std::int64_t all = answers.count() * steps;
  if (best.written.simulated < all)
    notices.push_back({.id = "sampled-answers",
                       .arguments = {{"simulated", format_count(best.written.simulated)},
                                     {"answers", format_count(all)},
                                     {"within", percent_text(kSampledWithin)}}});
}

// How a value model of its own learns.
std::optional<Notice> note_value_model(const Workshop& shop, const Worked& best) {
  if (!shop.method().value || best.value == nullptr) return std::nullopt;
  const TrainAnswer& value = *best.value;
  return Notice{.id = "value-model",
                .arguments = {{"model", value.title},
                              {"precision", value.precision},
                              {"tp", std::to_string(value.layout.tp)},
                              {"pp", std::to_string(value.layout.pp)},
                              {"dp", std::to_string(value.layout.dp)},
                              {"sharding", value.layout.sharding}}};
}

// Shares with their steps, the best first.
struct Trial {
  std::vector<Worked> all;
  Diagnostics fault;  // What is wrong with the first that does not work.

  bool is_worth_it(const Workshop& shop, const Share& share, int off_policy) const {
    if (shop.trainers().is_hopeless(share)) return false;
    return all.empty() || shop.least_step(share, off_policy) < least();
  }
  Seconds least() const {
    return std::min_element(all.begin(), all.end(), is_better)->step.value();
  }
  void add(Workshop& shop, const Share& share, int off_policy) {
    Diagnostics problems;
    if (auto worked = shop.work(share, off_policy, problems)) all.push_back(*std::move(worked));
    if (fault.empty()) fault = problems;
  }
};

Trial try_shares(Workshop& shop, const Shares& shares, int off_policy) {
  Trial trial;
  for (const Share& share : shares.shown) trial.add(shop, share, off_policy);
  for (const Share& share : shares.others)
    if (trial.is_worth_it(shop, share, off_policy)) trial.add(shop, share, off_policy);
  // Where no usual layout of the trainer fits, another may.
  for (const std::vector<Share>* all : {&shares.shown, &shares.others})
    for (Share share : *all) {
      if (!shop.trainers().has_none(share)) continue;
      share.layouts = TrainerLayouts::kUsualElseAll;
      if (trial.is_worth_it(shop, share, off_policy)) trial.add(shop, share, off_policy);
    }
  std::stable_sort(trial.all.begin(), trial.all.end(), is_better);
  return trial;
}

// Every layout of the trainer, on the shares that are best with the usual ones.
void try_layouts(Workshop& shop, int off_policy, Trial& trial) {
  constexpr std::size_t kTrainers = 6;
  std::vector<int> searched;
  for (std::size_t i = 0, count = trial.all.size(); i < count; ++i) {
    Share share = trial.all[i].share;
    const bool is_known =
        std::find(searched.begin(), searched.end(), share.training) != searched.end();
    if (!is_known && searched.size() == kTrainers) continue;
    if (!is_known) searched.push_back(share.training);
    share.layouts = TrainerLayouts::kAll;
    trial.add(shop, share, off_policy);
  }
  std::stable_sort(trial.all.begin(), trial.all.end(), is_better);
}

// The best step of any share with answers one step older.
std::optional<Seconds> one_step_off(Workshop& shop, const Shares& shares, bool searches) {
  const bool overlaps = shop.method().off_policy && shop.method().off_policy->value > 0;
  if (!shop.writes() || overlaps) return std::nullopt;
  const bool apart =
      !shop.method().placement || shop.method().placement->value == PlacementWord::kSplit;
  if (!apart) return std::nullopt;
  Trial older = try_shares(shop, shares, 1);
  if (searches) try_layouts(shop, 1, older);
  const auto is_apart = [](const Worked& worked) { return !worked.share.colocated; };
  const auto found = std::find_if(older.all.begin(), older.all.end(), is_apart);
  return found == older.all.end() ? std::nullopt : std::optional(found->step.value());
}

// Numbers of sequences at once that a search tries beside the engine's own, and on how many of the
// best shares.
constexpr std::array<double, 3> kTimesSequences{0.5, 2, 4};
constexpr std::size_t kSharesWithSettings = 3;

// How often the simulator is asked: each share that is shown with the answers of one step, and once
// more for what older answers would save. Counted alike however old answers may be and whether or
// not settings are searched, so that all of these have the same samples.
std::int64_t rollouts_of(std::size_t shares) {
  constexpr std::int64_t kAges = 2;
  constexpr std::size_t kSettings = kSharesWithSettings * kTimesSequences.size();
  return static_cast<std::int64_t>(shares + kSettings) * kAges;
}

// Settings of the engine that are not written, on the shares that are best without them.
void try_settings(Workshop& shop, int off_policy, std::vector<Worked>& all) {
  const auto& rollout = shop.method().rollout;
  if (!shop.writes() || (rollout && rollout->max_seqs)) return;
  const std::size_t count = std::min(all.size(), kSharesWithSettings);
  for (std::size_t i = 0; i < count; ++i)
    for (const double times : kTimesSequences) {
      Share share = all[i].share;
      share.max_seqs =
          std::max<std::int64_t>(1, std::llround(times * static_cast<double>(all[i].max_seqs)));
      Diagnostics unread;
      if (shop.bench(share) == nullptr) continue;
      if (auto worked = shop.work(share, off_policy, unread)) all.push_back(*std::move(worked));
    }
  std::stable_sort(all.begin(), all.end(), is_better);
}

}  // namespace

bool has_phases(const config::Scenario& scenario) {
  if (!scenario.train || !scenario.train->method) return false;
  switch (scenario.train->method->kind.value) {
    case MethodWord::kFull:
    case MethodWord::kLora:
    case MethodWord::kQlora:
      return false;
    case MethodWord::kDpo:
    case MethodWord::kDistillation:
    case MethodWord::kGrpo:
    case MethodWord::kPpo:
      break;
  }
  return true;
}

std::optional<TrainAnswer> train_by_method(const Core& core, const MethodInputs& inputs,
                                           Diagnostics& diagnostics) {
  const auto shop = Workshop::open(core, inputs, diagnostics);
  if (!shop) return std::nullopt;
  std::vector<int> degrees{1};
  if (shop->writes()) degrees = shop->degrees(diagnostics);
  if (degrees.empty()) return std::nullopt;
  if (auto fault = find_too_many(shop->scenario())) {
    diagnostics.add(*std::move(fault));
    return std::nullopt;
  }
  const std::int64_t texts = shop->lessons().texts;
  const Shares shares = shop->writes() ? shares_of(shop->scenario(), degrees, texts)
                                       : learning_shares(shop->scenario(), texts);
  if (shares.shown.empty() && shares.others.empty()) {
    const AskedGpus asked = asked_gpus(shop->scenario());
    const bool is_written = asked.all > 0 || asked.training > 0;
    diagnostics.add(is_written ? no_share(*shop, asked, degrees.front())
                               : no_number(shop->scenario()));
    return std::nullopt;
  }
  const int off_policy = shop->method().off_policy ? shop->method().off_policy->value : 0;
  shop->prepare(rollouts_of(shares.shown.size()));
  Trial trial = try_shares(*shop, shares, off_policy);
  if (trial.all.empty()) {
    diagnostics.add_all(trial.fault);
    return std::nullopt;
  }
  if (inputs.search != nullptr) try_layouts(*shop, off_policy, trial);
  std::vector<Worked>& all = trial.all;
  if (inputs.search != nullptr) try_settings(*shop, off_policy, all);
  TrainAnswer answer = *all.front().trainer;
  answer.method = describe(*shop, all);
  const int gpus = answer.method->gpus;
  extend_to_the_run(core.catalog(),
                    {.scenario = learning_scenario(shop->scenario(), shop->lessons(), gpus),
                     .model_files = inputs.train.model_files},
                    answer);
  answer.method->one_step_off = one_step_off(*shop, shares, inputs.search != nullptr);
  answer.scenario = shop->scenario().name.value;
  if (shop->writes()) add_notices(*shop, all.front(), answer.notices);
  if (auto value = note_value_model(*shop, all.front()))
    answer.notices.push_back(*std::move(value));
  if (auto other = shop->note_other_vocabulary()) answer.notices.push_back(*std::move(other));
  if (inputs.search != nullptr)
    if (auto narrower = note_narrower_rollout(*shop, all.front(), off_policy))
      answer.notices.push_back(*std::move(narrower));
  if (!shop->writes())
    if (auto filling = filling_notice(*shop->scenario().train, shop->lessons().tokens))
      answer.notices.push_back(*std::move(filling));
  return answer;
}

}  // namespace loadfactor::engine

#include "engine/method/workshop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "collective/estimate.h"
#include "resolve/serve/service_layout.h"
#include "resolve/train/train_setup.h"

namespace loadfactor::engine {
namespace {

using config::MethodWord;
using Kind = MethodPhase::Kind;

EstimateOf<Seconds> modelled(Seconds time) {
  constexpr double kWidth = 0.3;  // The interval of transfers that nobody measured.
  return EstimateOf<Seconds>::within(time, kWidth, Basis::kModelled, "collectives");
}

using Time = EstimateOf<Seconds>;

Time sum_of(const std::vector<MethodPhase>& phases) {
  Seconds value, low, high;
  for (const MethodPhase& phase : phases) {
    value += phase.time.value();
    low += phase.time.low();
    high += phase.time.high();
  }
  return {value, low, high, Basis::kCalibrated, "serving model"};
}

// The longer of two that run beside each other, at each end of their intervals.
Time longer(const Time& a, const Time& b) {
  return {std::max(a.value(), b.value()), std::max(a.low(), b.low()), std::max(a.high(), b.high()),
          Basis::kCalibrated, "serving model"};
}

void keep_least(std::map<int, Seconds>& times, int gpus, Seconds time) {
  const auto [known, is_new] = times.emplace(gpus, time);
  if (!is_new) known->second = std::min(known->second, time);
}

// All phases one after the other; or answers beside the learning, with the transfer in both.
Time step_of(const std::vector<MethodPhase>& phases) {
  std::vector<MethodPhase> writing, learning;
  for (const MethodPhase& phase : phases) {
    if (phase.beside || phase.kind == Kind::kTransfer) writing.push_back(phase);
    if (!phase.beside) learning.push_back(phase);
  }
  const bool overlaps = std::any_of(phases.begin(), phases.end(),
                                    [](const MethodPhase& phase) { return phase.beside; });
  return overlaps ? longer(sum_of(writing), sum_of(learning)) : sum_of(learning);
}

}  // namespace

bool Workshop::writes() const {
  const MethodWord kind = method().kind.value;
  return kind == MethodWord::kGrpo || kind == MethodWord::kPpo;
}

std::unique_ptr<Workshop> Workshop::open(const Core& core, const MethodInputs& inputs,
                                         Diagnostics& diagnostics) {
  std::unique_ptr<Workshop> shop(new Workshop(core, inputs));
  // The names of the run, by the one resolver of training.
  TrainInputs plain = inputs.train;
  plain.scenario.train->method.reset();
  const auto setup = make_train_setup(plain, core.catalog(), diagnostics);
  if (!setup) return nullptr;
  shop->chip_ = setup->job.chip;
  shop->described_ = setup->described;
  shop->model_ = setup->job.model;
  if (shop->scenario_.hardware.empty())
    shop->scenario_.hardware = {{shop->chip_->name, shop->scenario_.train->position}};
  shop->models_ = read_serving_models(core.catalog(), diagnostics);
  if (!shop->models_) return nullptr;
  if (shop->writes()) {
    if (!shop->check_answers(diagnostics)) return nullptr;
    shop->answers_ = answers_of(shop->method(), shop->model_->context, inputs.seed);
  }
  const bool is_sound = shop->check_judges(diagnostics) && shop->check_value_model(diagnostics);
  return is_sound ? std::move(shop) : nullptr;
}

bool Workshop::check_judges(Diagnostics& diagnostics) const {
  const auto longest = static_cast<double>(lessons().longest);
  const auto reads = [&](const config::JudgeSection& judge, const std::vector<ModelFile>& files,
                         bool teaches) {
    const ReadingTask task{
        .model = judge.model, .model_files = files, .texts = 1, .tokens = longest};
    return can_read(core_, scenario_, task, teaches, diagnostics);
  };
  if (method().reward && !reads(*method().reward, inputs_.reward_files, false)) return false;
  if (method().value && !reads(*method().value, inputs_.value_files, false)) return false;
  return !method().teacher || reads(*method().teacher, inputs_.teacher_files, true);
}

// That it reads is not all: it learns as well.
bool Workshop::check_value_model(Diagnostics& diagnostics) const {
  if (!method().value) return true;
  TrainInputs plain{.scenario = value_scenario(scenario_, true),
                    .model_files = inputs_.value_files};
  plain.scenario.train->method.reset();
  return make_train_setup(plain, core_.catalog(), diagnostics) != nullptr;
}

bool Workshop::check_answers(Diagnostics& diagnostics) const {
  const auto context = static_cast<double>(model_->context);
  const auto& written = method().prompt_tokens;
  const double prompt = written ? written->value.base() : kUsualPrompt;
  const double answer = method().answer_tokens->value.base();
  if (context <= 0 || prompt + answer <= context) return true;
  const bool is_prompt = written && prompt >= context;
  diagnostics.add(scenario_.error(
      lf::kContextTooLong, is_prompt ? written->position : method().answer_tokens->position,
      fmt::format("prompts of {:.0f} tokens and answers of {:.0f} are longer than the {:.0f} that "
                  "{} was made for",
                  prompt, answer, context, model_->name),
      "shorten 'prompt_tokens' or 'answer_tokens', or train a model with a longer context"));
  return false;
}

void Workshop::prepare(std::int64_t rollouts) {
  constexpr std::int64_t kAnswersOfAQuestion = 200'000;
  constexpr std::int64_t kFewest = 1024;
  most_simulated_ = std::max(kFewest, kAnswersOfAQuestion / std::max<std::int64_t>(1, rollouts));
  for (auto& [settings, bench] : benches_) bench->simulate_at_most(most_simulated_);
}

std::optional<Notice> Workshop::note_other_vocabulary() const {
  constexpr double kPadding = 0.01;  // Rows that are added so that ranks share them evenly.
  if (!method().teacher) return std::nullopt;
  const ReadingTask task{.model = method().teacher->model, .model_files = inputs_.teacher_files};
  const auto theirs = vocabulary_of(core_, scenario_, task);
  const auto ours = model_->embedding.vocab;
  const auto fewer = static_cast<double>(std::min(theirs, ours));
  if (fewer <= 0 || static_cast<double>(std::max(theirs, ours)) <= fewer * (1 + kPadding))
    return std::nullopt;
  return Notice{.id = "other-vocabulary",
                .severity = Severity::kCaution,
                .arguments = {{"theirs", format_count(theirs)}, {"ours", format_count(ours)}}};
}

Lessons Workshop::lessons() const {
  const config::TrainSection& train = *scenario_.train;
  Lessons lessons;
  if (!writes()) {
    constexpr std::int64_t kUsualSequence = 4096;
    constexpr std::int64_t kUsualTexts = 64;
    const bool pairs = method().kind.value == MethodWord::kDpo;
    lessons.texts =
        (train.global_batch ? train.global_batch->value : kUsualTexts) * (pairs ? 2 : 1);
    lessons.tokens = train.sequence ? train.sequence->value : kUsualSequence;
    lessons.longest = lessons.tokens;
    const double step = static_cast<double>(lessons.texts * lessons.tokens);
    if (train.tokens)
      lessons.steps = std::max<std::int64_t>(
          1,
          std::llround(train.tokens->value.base() * filling_factor(train, lessons.tokens) / step));
    return lessons;
  }
  lessons.texts = answers_.count();
  lessons.tokens =
      std::max<std::int64_t>(1, std::llround(answers_.prompt_tokens + answers_.mean()));
  lessons.longest = std::int64_t{answers_.prompt_tokens} + answers_.longest();
  if (method().steps) lessons.steps = method().steps->value;
  return lessons;
}

RolloutBench* Workshop::bench(const Share& share) {
  const BenchKey key{share.tp, share.max_seqs, share.formats.precision, share.formats.kv};
  if (const auto found = benches_.find(key); found != benches_.end()) return found->second.get();
  config::Scenario varied = scenario_;
  auto& rollout = varied.train->method->rollout;
  if (!rollout) rollout.emplace().position = method().position;
  constexpr config::Position kPlannerPosition{.giver = config::Giver::kPlanner};
  if (share.max_seqs > 0)
    rollout->max_seqs = config::Placed<std::int64_t>{share.max_seqs, kPlannerPosition};
  const auto narrow = [&](std::string_view format, config::Given<std::string>& asked) {
    if (!format.empty()) asked = config::Placed<std::string>{std::string(format), kPlannerPosition};
  };
  narrow(share.formats.precision, rollout->precision);
  narrow(share.formats.kv, rollout->kv);
  Diagnostics unread;
  auto& made = benches_[key];
  made = RolloutBench::make(core_, varied, inputs_.train.model_files, answers_, share.tp, unread);
  if (made) made->simulate_at_most(most_simulated_);
  return made.get();
}

std::vector<Notice> Workshop::engine_notices(const Share& share) const {
  const auto found =
      benches_.find({share.tp, share.max_seqs, share.formats.precision, share.formats.kv});
  if (found == benches_.end() || !found->second) return {};
  return found->second->setup().notices;
}

// Those of one scale-up domain, and past it twice as many at a time.
std::vector<int> Workshop::wanted_degrees() const {
  const auto& rollout = method().rollout;
  if (rollout && rollout->tp) return {rollout->tp->value};
  constexpr int kMostDomains = 8;
  std::vector<int> wanted = tensor_degrees(*model_, *chip_);
  const int within = wanted.back();
  for (int domains = 2; domains <= kMostDomains; domains *= 2) wanted.push_back(domains * within);
  return wanted;
}

std::vector<int> Workshop::degrees(Diagnostics& diagnostics) {
  constexpr int kWidest = 8;  // Times the smallest; beyond, traffic alone grows.
  const int within = tensor_degrees(*model_, *chip_).back();
  std::vector<int> found;
  Diagnostics fault;
  for (const int tp : wanted_degrees()) {
    // Between domains a replica is slower than two of half its width: that is for what must.
    if (!found.empty() && (tp > within || tp > kWidest * found.front())) break;
    Diagnostics problems;
    auto made =
        RolloutBench::make(core_, scenario_, inputs_.train.model_files, answers_, tp, problems);
    if (made) {
      benches_[{tp, 0, {}, {}}] = std::move(made);
      found.push_back(tp);
      continue;
    }
    // The widest that is too small says the most.
    const bool is_too_small =
        !problems.empty() && problems.errors().front().code == lf::kDoesNotFit;
    if (fault.empty() || is_too_small) fault = problems;
  }
  if (found.empty()) diagnostics.add_all(fault);
  return found;
}

const ReadingTime* Workshop::add_reader(Kind kind, const ReadingTask& task, int gpus,
                                        std::vector<MethodPhase>& phases,
                                        Diagnostics& diagnostics) {
  const auto key = std::make_pair(static_cast<int>(kind), gpus);
  auto found = readers_.find(key);
  if (found == readers_.end())
    found = readers_.emplace(key, read_texts(core_, scenario_, task, diagnostics)).first;
  if (!found->second) return nullptr;
  phases.push_back({.kind = kind, .time = found->second->time, .gpus = gpus});
  return &*found->second;
}

std::optional<Bytes> Workshop::add_readers(const Share& share, std::vector<MethodPhase>& phases,
                                           Diagnostics& diagnostics) {
  const Lessons all = lessons();
  const config::MethodSection& asked = method();
  const MethodWord kind = asked.kind.value;
  const int gpus = share.training;
  const auto task = [&](const config::ModelSection& model,
                        const config::Given<std::string>& precision,
                        const std::vector<ModelFile>& files) {
    return ReadingTask{
        model, precision, files, static_cast<double>(all.texts), static_cast<double>(all.tokens),
        gpus};
  };
  const auto own = task(scenario_.train->model, {}, inputs_.train.model_files);
  const auto scoring = [](ReadingTask read) {
    read.scores_tokens = true;
    return read;
  };
  Bytes frozen;
  const auto add = [&](Kind phase, const ReadingTask& read, bool is_frozen = true) {
    const ReadingTime* reader = add_reader(phase, read, gpus, phases, diagnostics);
    if (reader != nullptr && is_frozen) frozen += reader->weights;
    return reader != nullptr;
  };
  if (asked.reward &&
      !add(Kind::kReward, task(asked.reward->model, asked.reward->precision, inputs_.reward_files)))
    return std::nullopt;
  if (asked.teacher &&
      !add(Kind::kTeacher,
           scoring(task(asked.teacher->model, asked.teacher->precision, inputs_.teacher_files))))
    return std::nullopt;
  const bool compares = kind != MethodWord::kDistillation;
  const bool refers = compares && (!asked.reference || asked.reference->value);
  // Adapters that are switched off leave the reference: it is the base that is there.
  const bool has_copy = !scenario_.train->lora;
  if (refers && !add(Kind::kReference, scoring(own), has_copy)) return std::nullopt;
  if (writes() && !add(Kind::kLogProbs, scoring(own), false)) return std::nullopt;
  const auto valued =
      asked.value ? task(asked.value->model, asked.value->precision, inputs_.value_files) : own;
  if (trains_value() && !add(Kind::kValues, valued, false)) return std::nullopt;
  return frozen;
}

void Workshop::add_learning(const Worked& worked, std::vector<MethodPhase>& phases) const {
  const double epochs = method().epochs ? static_cast<double>(method().epochs->value) : 1.0;
  const auto add = [&](Kind kind, const TrainAnswer& answer) {
    phases.push_back(
        {.kind = kind, .time = answer.step_time * epochs, .gpus = worked.share.training});
  };
  add(Kind::kTraining, *worked.trainer);
  if (worked.value != nullptr) add(Kind::kValueTraining, *worked.value);
}

// New weights go from the trainer's shards to every replica, each rank of a replica getting its own
// part; the parts travel side by side.
void Workshop::add_transfer(const Share& share, std::vector<MethodPhase>& phases) {
  RolloutBench* engine = bench(share);
  const auto network = models_->hardware->network(*chip_, false);
  if (engine == nullptr || !network) return;
  const Bytes part = engine->weights();
  const int copies = share.rollout / engine->gpus();
  const auto time = share.colocated
                        ? collective::estimate(collective::Operation::kAllGather, part,
                                               {.ranks = std::max(1, share.training)}, **network)
                        : collective::estimate(collective::Operation::kBroadcast, part,
                                               {.ranks = copies + 1}, **network);
  phases.push_back(
      {.kind = Kind::kTransfer, .time = modelled(time.duration), .gpus = share.gpus(), .busy = 0});
}

// What has no room beside the trainer waits in host memory. Where the same GPUs write, all of it
// makes room for the engine's cache: states go and come back, frozen weights only come.
bool Workshop::add_swap(Bytes frozen, Worked& worked, std::vector<MethodPhase>& phases,
                        Diagnostics& diagnostics) const {
  // What finds no room where one of the two learns, and so much of the others is held.
  const auto homeless = [](const TrainAnswer& learner, Bytes others) {
    const Bytes room = std::max(Bytes(), learner.memory_per_gpu - learner.memory.value());
    return std::max(Bytes(), others - room);
  };
  const Bytes state = state_of(*worked.trainer);
  worked.beside = frozen + (worked.value != nullptr ? state_of(*worked.value) : Bytes());
  worked.on_host = homeless(*worked.trainer, worked.beside);
  if (worked.value != nullptr)
    worked.on_host = std::max(worked.on_host, homeless(*worked.value, frozen + state));
  const bool leaves = worked.share.colocated && writes();
  if (leaves) worked.on_host = state + worked.beside;
  if (worked.on_host <= Bytes()) return true;
  if (!fits_on_host(worked.on_host, diagnostics)) return false;
  // Nobody writes to frozen weights, so that the host's copy of them stays good.
  const Bytes frozen_there = std::min(frozen, worked.on_host);
  const Bytes moved = 2.0 * (worked.on_host - frozen_there) + frozen_there;
  phases.push_back({.kind = Kind::kSwap,
                    .time = modelled(moved / host_link(worked.share.training)),
                    .gpus = worked.share.training,
                    .busy = 0});
  return true;
}

// The link of each of these GPUs to its host, while all of them move.
BytesPerSecond Workshop::host_link(int gpus) const {
  constexpr auto kUsual = BytesPerSecond::from_base(25e9);
  const BytesPerSecond link = chip_->host ? chip_->host->bandwidth : kUsual;
  const auto node = core_.catalog().find_node(chip_->node);
  return node ? (*node)->shared_link(link, gpus) : link;
}

// A host of which nothing is known is taken to be large enough.
bool Workshop::fits_on_host(Bytes waiting, Diagnostics& diagnostics) const {
  const auto node = core_.catalog().find_node(chip_->node);
  if (!node || !(*node)->host || (*node)->gpus < 1) return true;
  const Bytes has = (*node)->host->memory / static_cast<double>((*node)->gpus);
  if (waiting <= has) return true;
  diagnostics.add(scenario_.error(
      lf::kDoesNotFit, scenario_.train->method->position,
      fmt::format("{} per GPU would wait in host memory, and a host of {} has {}",
                  format_display(any(waiting)), (*node)->title, format_display(any(has))),
      "give the run more GPUs, split them (placement: split), or train adapters (train.lora: 16)"));
  return false;
}

std::optional<Worked> Workshop::work(const Share& share, int off_policy, Diagnostics& diagnostics) {
  Worked worked{.share = share};
  worked.trainer = trainers_.model(share, lessons(), diagnostics);
  if (worked.trainer == nullptr) return std::nullopt;
  if (trains_value()) worked.value = trainers_.value(share, lessons(), diagnostics);
  if (trains_value() && worked.value == nullptr) return std::nullopt;
  if (writes()) {
    RolloutBench& engine = *bench(share);
    const int replicas = share.rollout / engine.gpus();
    worked.written = engine.write(replicas);
    worked.max_seqs = engine.setup().pools.front()->scheduler.max_seqs;
    // Answers of several steps at once hide each other's tails.
    const int most = share.colocated ? 1 : off_policy + 1;
    for (int together = 2; together <= most; together *= 2) {
      RolloutTime several = engine.write(replicas, together);
      several.time = several.time / static_cast<double>(together);
      if (several.time >= worked.written.time) continue;
      worked.written = several;
      worked.together = together;
    }
    const RolloutTime& written = worked.written;
    worked.phases.push_back(
        {.kind = Kind::kRollout,
         .time = {written.time, written.time * written.low, written.time * written.high,
                  Basis::kCalibrated, "serving model"},
         .gpus = share.rollout,
         .busy = written.busy,
         .beside = off_policy > 0 && !share.colocated});
    worked.rollout = written.time;
  }
  std::vector<MethodPhase> rest;
  const auto frozen = add_readers(share, rest, diagnostics);
  if (!frozen) return std::nullopt;
  add_learning(worked, rest);
  if (writes()) add_transfer(share, rest);
  if (!add_swap(*frozen, worked, rest, diagnostics)) return std::nullopt;
  worked.learning = sum_of(rest).value();
  worked.phases.insert(worked.phases.end(), rest.begin(), rest.end());
  worked.step = step_of(worked.phases);
  keep_least(learned_, share.training, worked.learning);
  const bool is_usual = share.formats == RolloutFormats{};
  if (writes() && is_usual) keep_least(written_[share.tp], share.rollout, worked.rollout);
  return worked;
}

Seconds Workshop::least_step(const Share& share, int off_policy) const {
  constexpr double kLeastWork = 0.7;  // A share of the GPU-seconds that more GPUs take to learn.
  std::optional<double> work;
  for (auto it = learned_.lower_bound(share.training); it != learned_.end(); ++it) {
    // A few more GPUs may have to be laid out oddly.
    if (it->first % share.training != 0 && it->first < 2 * share.training) continue;
    const double spent = it->second.base() * it->first;
    work = std::min(work.value_or(spent), spent);
  }
  const auto learning = Seconds::from_base(kLeastWork * work.value_or(0) / share.training);
  if (!writes()) return learning;
  std::optional<Seconds> writing;
  if (const auto known = written_.find(share.tp); known != written_.end())
    for (const auto& [gpus, time] : known->second)
      if (gpus >= share.rollout) writing = std::min(writing.value_or(time), time);
  const Seconds rollout = writing.value_or(Seconds());
  const bool overlaps = off_policy > 0 && !share.colocated;
  return overlaps ? std::max(learning, rollout) : learning + rollout;
}

}  // namespace loadfactor::engine

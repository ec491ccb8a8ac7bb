// `train`, `search` and `scale`: one training layout, the best ones, and how far they scale.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "engine/method/candidates.h"
#include "engine/method/method.h"
#include "engine/train/better_layout.h"
#include "facade/body.h"
#include "facade/files.h"
#include "facade/unread_keys.h"
#include "facade/verbs.h"
#include "report/train/scale_report.h"
#include "report/train/search_report.h"
#include "report/train/train_report.h"

namespace loadfactor::facade {
namespace {

report::TrainTextOptions train_text_options(const Style& style) {
  return {.width = style.width, .colour = style.colour, .explain = style.explain};
}

Result<std::string> render_training(const TrainAnswer& answer, const std::string& file,
                                    Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::train_text(answer, train_text_options(style));
    case Format::kJson:
      return report::train_json(answer, file);
    case Format::kCsv:
      return report::train_csv(answer);
    case Format::kMarkdown:
      return report::train_markdown(answer);
    case Format::kTrace:
      if (!answer.trace.empty()) return report::train_trace_json(answer);
      return no_such_form(format);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_training(const SearchAnswer& answer, const std::string& file,
                                    Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::search_text(answer, train_text_options(style));
    case Format::kJson:
      return report::search_json(answer, file, style.reproducible);
    case Format::kCsv:
      return report::search_csv(answer);
    case Format::kMarkdown:
      return report::search_markdown(answer);
    default:
      return no_such_form(format);
  }
}

Result<std::string> render_training(const ScaleAnswer& answer, const std::string& file,
                                    Format format, const Style& style) {
  switch (format) {
    case Format::kTable:
      return report::scale_text(answer, train_text_options(style));
    case Format::kJson:
      return report::scale_json(answer, file);
    case Format::kCsv:
      return report::scale_csv(answer);
    case Format::kMarkdown:
      return report::scale_markdown(answer);
    default:
      return no_such_form(format);
  }
}

template <typename T>
Answer training_answer(std::string_view verb, T answer, const ScenarioWithFiles& about,
                       Beside beside) {
  note_unread_keys(verb, about.scenario, answer.notices);
  return make_answer<T>(
      verb, std::move(answer),
      [file = about.scenario.file()](const T& data, Format format, const Style& style) {
        return render_training(data, file, format, style);
      },
      std::move(beside));
}

Result<TrainInputs> train_request(const ScenarioWithFiles& about) {
  TrainInputs request;
  request.scenario = about.scenario;
  if (about.scenario.train) {
    TRY(request.model_files, model_files(about, about.scenario.train->model));
  }
  return request;
}

Result<SearchInputs> search_request(const SearchQuestion& question, const Progress& progress) {
  SearchInputs request;
  TRY(request.train, train_request(question.about));
  request.objective = question.objective;
  request.placement = question.placement;
  request.gpus = question.gpus;
  request.precisions = question.precisions;
  request.headroom = question.headroom;
  request.exhaustive = question.exhaustive;
  request.threads = question.settings.threads;
  request.stop = progress.flag();
  request.progress = [progress](double share) { progress.report(share); };
  request.cpu_seconds = progress.cpu_seconds();
  return request;
}

// A run of several phases: answers that are written, models that read, a trainer.
Result<engine::MethodInputs> method_request(const ScenarioWithFiles& about, TrainInputs train) {
  engine::MethodInputs request{.train = std::move(train)};
  const config::MethodSection& method = *about.scenario.train->method;
  if (method.reward) {
    TRY(request.reward_files, model_files(about, method.reward->model));
  }
  if (method.teacher) {
    TRY(request.teacher_files, model_files(about, method.teacher->model));
  }
  if (method.value) {
    TRY(request.value_files, model_files(about, method.value->model));
  }
  return request;
}

std::optional<TrainAnswer> answer_by_method(const Desk& desk, const ScenarioWithFiles& about,
                                            const TrainInputs& train, const SearchInputs* search,
                                            engine::LayoutCounts* counts) {
  auto request = method_request(about, train);
  if (!request) return desk.refuse(request.error());
  request->search = search;
  request->counts = counts;
  if (search == nullptr) return engine::train_by_method(desk.engine, *request, desk.diagnostics);
  return engine::best_candidate(desk.engine, *request, desk.diagnostics);
}

// What a search over layouts is asked, and one over the phases of a method cannot do.
std::optional<Error> find_unheard(const SearchQuestion& question) {
  const auto refuse = [](std::string_view flag, std::string hint) {
    return Error{.code = lf::kUsage,
                 .message = fmt::format("{} is not heard where train.method has phases", flag),
                 .hint = std::move(hint)};
  };
  if (question.objective && *question.objective != Objective::kTime)
    return refuse("--objective", "the quickest step is searched; `plan` weighs cost");
  if (!question.gpus.empty())
    return refuse("--gpus", fmt::format("--set limits.gpus={}", question.gpus.back()));
  if (question.headroom > 0) return refuse("--headroom", "the answer says how full the trainer is");
  if (!question.precisions.empty()) return refuse("--precision", "--set train.precision=bf16");
  return std::nullopt;
}

// The trainer that was found, as the one plan of a search.
SearchAnswer as_search(TrainAnswer answer, const engine::LayoutCounts& counts,
                       std::size_t candidates) {
  SearchAnswer found;
  found.enumerated = counts.legal;
  found.evaluated = counts.evaluated;
  found.scenario = answer.scenario;
  found.model = answer.model;
  found.title = answer.title;
  found.sequence = answer.sequence;
  found.machines = found.machines_searched =
      static_cast<std::int64_t>(std::max<std::size_t>(1, candidates));
  found.method = std::exchange(answer.method, std::nullopt);
  found.notices = std::exchange(answer.notices, {});
  found.missed = answer.missed;
  SearchPlan plan;
  plan.memory_share = answer.memory_fill;
  plan.train = std::move(answer);
  found.plans.push_back(std::move(plan));
  return found;
}

// A size that is in time and within the budget.
bool has_a_feasible_size(const ScaleAnswer& answer) {
  const auto keeps = [](const ScalePoint& point) { return point.affordable && point.in_time; };
  return std::any_of(answer.curves.begin(), answer.curves.end(), [&keeps](const ScaleCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(), keeps);
  });
}

Outcome feasible_if(bool feasible) {
  return feasible ? Outcome::kAnswer : Outcome::kInfeasible;
}

}  // namespace

std::optional<Answer> ask(const Desk& desk, const TrainQuestion& question) {
  auto request = train_request(question.about);
  if (!request) return desk.refuse(request.error());
  request->trace = question.trace;
  const bool has_phases = engine::has_phases(request->scenario);
  if (has_phases && question.trace)
    return desk.refuse(Error{.code = lf::kUsage,
                             .message = "--trace draws a step of a trainer, and train.method has "
                                        "other phases",
                             .hint = "leave the method out to draw the trainer's step alone"});
  auto answer = has_phases ? answer_by_method(desk, question.about, *request, nullptr, nullptr)
                           : desk.engine.train(*request, desk.diagnostics);
  if (!answer) return std::nullopt;
  if (has_phases) {
    const Outcome outcome = feasible_if(answer->fits && !answer->stalled && answer->missed.empty());
    return training_answer("train", *std::move(answer), question.about, {.outcome = outcome});
  }
  if (auto better = engine::note_better_layout(desk.engine, *request, *answer))
    answer->notices.push_back(*std::move(better));
  if (auto better = engine::note_better_machine(desk.engine, *request, *answer))
    answer->notices.push_back(*std::move(better));
  Beside beside{.outcome = feasible_if(answer->fits && !answer->stalled && answer->missed.empty())};
  if (question.trace && answer->trace.empty())
    beside.remarks.push_back(report::no_trace_words(*answer));
  return training_answer("train", *std::move(answer), question.about, std::move(beside));
}

std::optional<Answer> ask(const Desk& desk, const SearchQuestion& question) {
  const auto request = search_request(question, desk.progress);
  if (!request) return desk.refuse(request.error());
  if (engine::has_phases(question.about.scenario)) {
    if (const auto unheard = find_unheard(question)) return desk.refuse(*unheard);
    engine::LayoutCounts counts;
    auto trainer = answer_by_method(desk, question.about, request->train, &*request, &counts);
    if (!trainer) return std::nullopt;
    const Outcome outcome = feasible_if(trainer->missed.empty());
    const std::size_t candidates = question.about.scenario.hardware.size();
    return training_answer("search", as_search(*std::move(trainer), counts, candidates),
                           question.about, {.outcome = outcome, .is_timed = desk.is_timed()});
  }
  auto answer = desk.engine.search(*request, desk.diagnostics);
  if (!answer) return std::nullopt;
  const Outcome outcome = feasible_if(!answer->plans.empty() && answer->missed.empty());
  return training_answer("search", *std::move(answer), question.about,
                         {.outcome = outcome, .is_timed = desk.is_timed()});
}

std::optional<Answer> ask(const Desk& desk, const ScaleQuestion& question) {
  const SearchQuestion at_each{.about = question.about,
                               .settings = question.settings,
                               .placement = question.placement,
                               .gpus = question.gpus,
                               .precisions = question.precisions,
                               .headroom = question.headroom};
  auto search = search_request(at_each, desk.progress);
  if (!search) return desk.refuse(search.error());
  ScaleInputs request;
  request.search = *std::move(search);
  request.efficiency = question.efficiency;
  request.day_value = question.day_value;
  auto answer = desk.engine.scale(request, desk.diagnostics);
  if (!answer) return std::nullopt;
  const Outcome outcome = feasible_if(has_a_feasible_size(*answer));
  return training_answer("scale", *std::move(answer), question.about, {.outcome = outcome});
}

}  // namespace loadfactor::facade

#include "report/train/method_report.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/figure_text.h"
#include "base/plural.h"
#include "base/quantity_text.h"
#include "base/text/table.h"
#include "base/wrap.h"
#include "report/train/search_words.h"

namespace loadfactor::report {
namespace {

using Kind = MethodPhase::Kind;

std::string seconds(Seconds time) {
  return format_display(any(time));
}

std::string wrapped(const std::string& text, int width) {
  std::string lines;
  for (const auto& line : wrap(text, width)) lines += line + "\n";
  return lines;
}

Table phase_table(const MethodAnswer& answer) {
  Table table({{.name = "phase"},
               {.name = "time", .align = Align::kRight},
               {.name = "low", .align = Align::kRight},
               {.name = "high", .align = Align::kRight},
               {.name = "GPUs", .align = Align::kRight},
               {.name = "busy", .align = Align::kRight},
               {.name = "what it is", .wraps = true}});
  for (const MethodPhase& phase : answer.phases)
    table.add_row({std::string(name_of(phase.kind)) + (phase.beside ? ", beside" : ""),
                   seconds(phase.time.value()), seconds(phase.time.low()),
                   seconds(phase.time.high()), fmt::to_string(phase.gpus), percent_text(phase.busy),
                   std::string(phase_meaning(phase.kind))});
  return table;
}

Table split_table(const MethodAnswer& answer) {
  Table table({{.name = "writing", .align = Align::kRight},
               {.name = "learning", .align = Align::kRight},
               {.name = "tp", .align = Align::kRight},
               {.name = "at once", .align = Align::kRight},
               {.name = "last answer", .align = Align::kRight},
               {.name = "the rest", .align = Align::kRight},
               {.name = "step", .align = Align::kRight}});
  for (const MethodSplit& split : answer.splits)
    table.add_row({fmt::to_string(split.rollout_gpus), fmt::to_string(split.training_gpus),
                   fmt::to_string(split.tp), format_count(split.max_seqs), seconds(split.rollout),
                   seconds(split.learning), seconds(split.step)});
  return table;
}

std::string answers_line(const MethodAnswer& answer) {
  if (answer.engine.empty()) return {};
  return fmt::format(
      "{} × {} of {:.0f} tokens in the mean and {:.0f} at most, written by {} in {}, up to {} at "
      "once; half of them are there {} before the last.",
      counted(answer.prompts, "prompt"), counted(answer.group, "answer"),
      answer.answer_tokens.base(), answer.longest_answer.base(), answer.engine,
      answer.rollout_precision, format_count(answer.rollout_max_seqs),
      seconds(answer.longest_wait));
}

// What else the trainer's GPUs have to hold.
std::string beside_line(const MethodAnswer& answer) {
  std::string text = fmt::format("Other models take {} of each of the trainer's GPUs",
                                 format_display(any(answer.beside)));
  if (answer.on_host > Bytes())
    text += fmt::format("; {} per GPU waits in host memory while others work",
                        format_display(any(answer.on_host)));
  return text + ".";
}

std::string older_line(const MethodAnswer& answer) {
  if (!answer.one_step_off) return {};
  const double saved = 1.0 - *answer.one_step_off / answer.step.value();
  if (saved <= 0)
    return fmt::format(
        "Answers one step older, on GPUs apart, would make a step of {}: no shorter.",
        seconds(*answer.one_step_off));
  return fmt::format(
      "Answers one step older would make a step of {}, {} shorter: "
      "train.method.off_policy=1.",
      seconds(*answer.one_step_off), percent_text(saved));
}

}  // namespace

std::string_view phase_meaning(Kind kind) {
  switch (kind) {
    case Kind::kRollout:
      return "until the last answer is written";
    case Kind::kReward:
      return "the reward model reads prompts and answers";
    case Kind::kReference:
      return "the frozen copy reads them";
    case Kind::kLogProbs:
      return "the model reads its own answers, for their probabilities";
    case Kind::kValues:
      return "the value model reads them";
    case Kind::kTeacher:
      return "the teacher reads the texts";
    case Kind::kTraining:
      return "forward, backward and update";
    case Kind::kValueTraining:
      return "the same of the value model";
    case Kind::kTransfer:
      return "new weights go to the engine";
    case Kind::kSwap:
      return "what has no room on the GPUs goes to the host and comes back";
  }
  return "";
}

std::string method_place_words(const MethodAnswer& answer) {
  const std::string gpus = counted(answer.gpus, "GPU");
  if (answer.engine.empty()) return gpus;
  if (answer.colocated)
    return fmt::format("{} that {} and {} in turns (tp {})", gpus,
                       answer.gpus == 1 ? "writes" : "write", answer.gpus == 1 ? "learns" : "learn",
                       answer.rollout_tp);
  return fmt::format("{}, {} of them writing (tp {}) and {} learning", gpus, answer.rollout_gpus,
                     answer.rollout_tp, answer.training_gpus);
}

std::string method_idle_words(const MethodAnswer& answer) {
  std::string text =
      fmt::format("{} of the GPU time nothing is computed", percent_text(answer.idle));
  if (!answer.engine.empty())
    text += fmt::format(": {} waits for the last answers, {} for other phases",
                        percent_text(answer.idle_tail), percent_text(answer.idle_pool));
  if (answer.idle_gpu_hours)
    text += fmt::format("; {} GPU-hours of the run",
                        format_count(static_cast<long long>(*answer.idle_gpu_hours + 0.5)));
  return text + ".";
}

std::string method_work_words(const MethodAnswer& answer) {
  if (answer.engine.empty()) return answer.method;
  return fmt::format("{} · {} × {} a step", answer.method, counted(answer.prompts, "prompt"),
                     counted(answer.group, "answer"));
}

std::string method_verdict(const MethodAnswer& answer) {
  std::string text = fmt::format("A step of {} takes {} [{}, {}] on {}", answer.method,
                                 seconds(answer.step.value()), seconds(answer.step.low()),
                                 seconds(answer.step.high()), method_place_words(answer));
  if (answer.duration)
    text += fmt::format("; {} {} {}", counted(*answer.steps, "step"),
                        *answer.steps == 1 ? "takes" : "take",
                        format_display(any(answer.duration->value())));
  if (answer.cost) text += fmt::format(" and {}", format_display(any(answer.cost->value())));
  return text + ".";
}

std::string method_text(const MethodAnswer& answer, const std::vector<MissedLimit>& missed,
                        const TrainTextOptions& options) {
  const TextOptions table{.width = options.width, .colour = options.colour};
  std::string text = wrapped(missed_words(missed) + method_verdict(answer), options.width);
  if (!answer.engine.empty()) text += wrapped(answers_line(answer), options.width);
  text += "\n" + render_text(phase_table(answer), table);
  if (answer.beside > Bytes()) text += wrapped(beside_line(answer), options.width);
  text += wrapped(method_idle_words(answer), options.width);
  if (answer.one_step_off) text += wrapped(older_line(answer), options.width);
  if (answer.splits.size() > 1)
    text += "\nHow GPUs can be shared:\n" + render_text(split_table(answer), table);
  return text + "\nThe trainer:\n";
}

std::string method_markdown(const MethodAnswer& answer, const std::vector<MissedLimit>& missed) {
  std::string text = fmt::format("**{}**\n\n", missed_words(missed) + method_verdict(answer));
  text += render_markdown(phase_table(answer)) + "\n" + method_idle_words(answer) + "\n\n";
  if (answer.splits.size() > 1) text += render_markdown(split_table(answer)) + "\n";
  return text;
}

}  // namespace loadfactor::report

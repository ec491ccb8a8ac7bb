// A profiled step beside its prediction, for people.
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/quoted.h"
#include "base/wrap.h"
#include "report/calibrate/figure_words.h"
#include "report/calibrate/site_report.h"

namespace loadfactor::report {
namespace {

using calibrate::ComparedStep;
using calibrate::KernelSum;
using calibrate::StepKind;
using calibrate::WorkClass;

constexpr double kMilli = 1e3;

std::string paragraph(const std::string& sentences) {
  constexpr int kColumns = 80;
  return fmt::format("{}\n", fmt::join(wrap(sentences, kColumns), "\n"));
}

std::string shown(Seconds time) {
  return four_figures(kMilli * time.base()) + " ms";
}

// Names of templates run to thousands of letters; their beginning tells them apart.
std::string short_name(const std::string& name) {
  std::string text = name.starts_with("void ") ? name.substr(5) : name;
  constexpr std::string_view kNobody = "(anonymous namespace)::";
  for (auto at = text.find(kNobody); at != std::string::npos; at = text.find(kNobody))
    text.erase(at, kNobody.size());
  constexpr std::size_t kMaxBytes = 44;
  return shortened(text, kMaxBytes);
}

std::string subject_of(WorkClass work) {
  switch (work) {
    case WorkClass::kProducts:
      return "Matrix products";
    case WorkClass::kAttention:
      return "Attention";
    case WorkClass::kPointwise:
      return "Pointwise kernels";
    case WorkClass::kOptimizer:
      return "The optimizer";
    case WorkClass::kUnclassed:
      return "Kernels of no known class";
    case WorkClass::kCommunication:
      return "Communication that nothing hides";
    case WorkClass::kCopies:
      return "Copies and fills";
    case WorkClass::kHost:
      return "Waiting for the host";
    case WorkClass::kIdle:
    case WorkClass::kCount:
      break;
  }
  return "Gaps between kernels";
}

// What usually makes a class longer than predicted, and what to look at.
std::string more_words(WorkClass work, const ComparedStep& step) {
  switch (work) {
    case WorkClass::kProducts:
      return "the chip's clock was held back, the shapes are others, or a library chose slower "
             "kernels than those that the tables were measured with";
    case WorkClass::kAttention:
      return "another attention kernel ran than the scenario's software has";
    case WorkClass::kPointwise:
      return "kernels that the scenario takes to be fused or compiled ran one by one, each "
             "reading and writing memory once more";
    case WorkClass::kOptimizer:
      return "states are wider than assumed, or the optimizer is not the fused one";
    case WorkClass::kUnclassed:
      return "add their names to integrations/kernels.yaml of a --catalog folder";
    case WorkClass::kCommunication:
      return "collectives overlap less than assumed, or wait for a slower rank; NCCL_DEBUG=INFO "
             "tells which network they use";
    case WorkClass::kCopies:
      return "tensors are copied or cleared that the prediction does not know of";
    case WorkClass::kHost:
      return fmt::format(
          "{} times the device had nothing to do until the host asked; graphs or "
          "compilation launch with fewer calls, and a profiler slows the host itself",
          step.measured.waits);
    case WorkClass::kIdle:
    case WorkClass::kCount:
      break;
  }
  return fmt::format(
      "{} kernels follow one another with a gap each; fewer, larger kernels have "
      "fewer",
      step.measured.calls);
}

// A class that the profile lacks altogether is no matter of clocks.
std::string absent_words(const ComparedStep& step) {
  const Seconds unclassed = step.measured.times[WorkClass::kUnclassed];
  if (unclassed > Seconds())
    return fmt::format("no kernel has a name of this class, and {} are of no known class",
                       shown(unclassed));
  return "no kernel has a name of this class: the profile is of another step than the scenario's, "
         "or other kernels do its work";
}

std::string less_words(WorkClass work, const ComparedStep& step) {
  const bool is_kernel = work == WorkClass::kProducts || work == WorkClass::kAttention ||
                         work == WorkClass::kPointwise || work == WorkClass::kOptimizer;
  if (is_kernel && !(step.measured.times[work] > Seconds())) return absent_words(step);
  switch (work) {
    case WorkClass::kProducts:
    case WorkClass::kAttention:
      return "a short profile runs at the clock of a burst, above what a run of hours holds, or "
             "shapes are smaller than the scenario's";
    case WorkClass::kPointwise:
      return "more of them were fused than the scenario's software is known for";
    case WorkClass::kCommunication:
      return fmt::format("computation hid {} of it", shown(step.measured.hidden));
    case WorkClass::kHost:
      return "launches ran ahead of the device, or were replayed from a graph";
    case WorkClass::kIdle:
      return "kernels followed one another more closely, or one rank's profile does not show "
             "what it waits for elsewhere";
    case WorkClass::kOptimizer:
    case WorkClass::kUnclassed:
    case WorkClass::kCopies:
    case WorkClass::kCount:
      break;
  }
  return "less of it ran than the scenario asks for";
}

std::string largest_words(WorkClass work, const ComparedStep& step) {
  const auto& largest = step.measured.largest[static_cast<std::size_t>(work)];
  if (largest.empty()) return "";
  const KernelSum& first = largest.front();
  return fmt::format(" The largest is `{}`: {} in {} call{}.", short_name(first.name),
                     shown(first.seconds), first.calls, first.calls == 1 ? "" : "s");
}

std::string gap_sentence(WorkClass work, const ComparedStep& step) {
  const Seconds gap = step.gap(work);
  const bool more = gap > Seconds();
  return fmt::format("{} took {} {} than predicted ({} against {}): {}.{}", subject_of(work),
                     shown(more ? gap : Seconds() - gap), more ? "more" : "less",
                     shown(step.measured.times[work]), shown((*step.predicted)[work]),
                     more ? more_words(work, step) : less_words(work, step),
                     largest_words(work, step));
}

std::string kind_words(const ComparedStep& step) {
  switch (step.kind) {
    case StepKind::kTraining:
      return "a training step";
    case StepKind::kDecode:
      return fmt::format("a step that decodes {:.4g} sequences of {:.6g} tokens", step.sequences,
                         step.tokens);
    case StepKind::kPrompt:
      return fmt::format("a step that computes a prompt of {:.6g} tokens", step.tokens);
    case StepKind::kUnknown:
      break;
  }
  return "a step";
}

// `trace.json.gz (torch profiler): a training step of 331.7 ms, 3.4 % more than the 343.4 ms
// predicted. 99.9 % of the device's time is classed.`
std::string opening(const ComparedStep& step) {
  const auto& measured = step.measured;
  std::string text = fmt::format("{} ({}): {} of {}", step.file, step.tool, kind_words(step),
                                 shown(measured.times.total()));
  if (step.predicted) {
    const double off = 100 * (measured.times.total() / step.predicted->total() - 1);
    text += fmt::format(", {} % {} than the {} predicted", three_figures(std::abs(off)),
                        off < 0 ? "less" : "more", shown(step.predicted->total()));
  }
  text += fmt::format(". The device worked for {}; {:.1f} % of that is classed.",
                      shown(measured.busy()), 100 * measured.classed());
  if (measured.devices > 1) text += fmt::format(" Means of {} devices.", measured.devices);
  text += measured.steps_marked ? fmt::format(" The profile marks {} step{}.", measured.steps,
                                              measured.steps == 1 ? "" : "s")
                                : " Nothing in it marks steps, so all of it is taken as one.";
  if (step.kind_guessed)
    text += " It is taken as this kind of step because the other is further off.";
  if (step.whole_graphs)
    text +=
        " Graphs were recorded whole, without their kernels: profile with "
        "--cuda-graph-trace=node.";
  return text;
}

// The cautions of a network: what makes collectives slower than the link allows.
std::string network_cautions(const calibrate::NcclDebug& network) {
  std::string text;
  if (network.network == "Socket")
    text +=
        " Between hosts it goes through TCP sockets, far below what InfiniBand or RoCE gives: "
        "a prediction with such a fabric is too fast by the difference.";
  if (network.over_network > 0 && network.into_device < network.over_network &&
      network.network != "Socket")
    text += fmt::format(
        " {} of {} connections to the network go through the host's memory: no "
        "GPUDirect RDMA.",
        network.over_network - network.into_device, network.over_network);
  if (network.through_host > 0)
    text += fmt::format(
        " {} connections within a host go through its memory (SHM) instead of the "
        "link between devices.",
        network.through_host);
  if (network.warnings > 0)
    text += fmt::format(" It warns {} time{}; first: {}.", network.warnings,
                        network.warnings == 1 ? "" : "s", network.first_warning);
  return text;
}

}  // namespace

std::string network_words(const calibrate::NcclDebug& network) {
  std::string text =
      fmt::format("{} (NCCL{}{}): groups of up to {} ranks", network.file,
                  network.version.empty() ? "" : " ", network.version, network.ranks);
  if (network.hosts > 0)
    text += fmt::format(" on {} host{}", network.hosts, network.hosts == 1 ? "" : "s");
  if (network.channels > 0) text += fmt::format(", {} channels", network.channels);
  if (!network.network.empty()) text += fmt::format(", network {}", network.network);
  text += network.in_switch ? ", sums in the switch." : ".";
  text += network_cautions(network);
  for (const auto& row : network.calls)
    text += fmt::format(" {}: {} call{}, {} MB in all.", row.operation, row.calls,
                        row.calls == 1 ? "" : "s", four_figures(1e-6 * row.bytes.base()));
  return paragraph(text);
}

namespace {

// Class by class there is nothing to explain where the whole is another one.
std::string another_step_words(const ComparedStep& step) {
  const double times = step.times_predicted();
  const std::string factor = times < 1 ? fmt::format("1/{} of the time", three_figures(1 / times))
                                       : fmt::format("{} times the time", three_figures(times));
  return fmt::format(
      "The device worked for {} that the scenario asks for: no clock and no kernel makes such a "
      "difference. The profile is of another kind of step than {} (decoding, computing prompts and "
      "training differ so), or of another model, batch or number of GPUs{}. Give the scenario that "
      "ran.",
      factor, kind_words(step),
      times > 1 && !step.measured.steps_marked ? ", or of several steps that nothing marks" : "");
}

}  // namespace

std::string profile_words(const ComparedStep& step) {
  std::string text = paragraph(opening(step));
  if (step.is_another_step()) return text + paragraph(another_step_words(step));
  constexpr std::size_t kExplained = 3;
  int number = 0;
  for (const WorkClass work : step.largest_gaps(kExplained))
    text += paragraph(fmt::format("{}. {}", ++number, gap_sentence(work, step)));
  return text;
}

Table profile_table(const ComparedStep& step) {
  Table table({{"class"},
               {"measured, ms", Align::kRight},
               {"predicted, ms", Align::kRight},
               {"gap, ms", Align::kRight},
               {.name = "largest kernel", .wraps = true}});
  table.set_title("Where the time of a step went, each moment counted once");
  const auto figure = [](Seconds time) { return fmt::format("{:.3f}", kMilli * time.base()); };
  for (std::size_t c = 0; c < calibrate::kNumWorkClasses; ++c) {
    const auto work = static_cast<WorkClass>(c);
    const Seconds measured = step.measured.times[work];
    const Seconds predicted = step.predicted ? (*step.predicted)[work] : Seconds();
    if (measured <= Seconds() && predicted <= Seconds()) continue;
    const auto& largest = step.measured.largest[c];
    table.add_row({std::string(calibrate::name(work)), figure(measured),
                   step.predicted ? figure(predicted) : "",
                   step.predicted ? fmt::format("{:+.3f}", kMilli * step.gap(work).base()) : "",
                   largest.empty() ? "" : short_name(largest.front().name)});
  }
  const Seconds all = step.measured.times.total();
  table.add_row({"step", figure(all), step.predicted ? figure(step.predicted->total()) : "",
                 step.predicted
                     ? fmt::format("{:+.3f}", kMilli * (all - step.predicted->total()).base())
                     : "",
                 ""});
  return table;
}

}  // namespace loadfactor::report

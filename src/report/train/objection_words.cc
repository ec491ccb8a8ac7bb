// What speaks against a machine or a run, in words.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/plural.h"
#include "base/quantity_text.h"
#include "report/train/reason_words.h"

namespace loadfactor::report {
namespace {

std::string words_of(RunStall::Remedy remedy, const RunStall& stall) {
  using Remedy = RunStall::Remedy;
  switch (remedy) {
    case Remedy::kFasterRestart:
      return "a faster restart (train.failures.restart)";
    case Remedy::kSoonerDetection:
      return "sooner detection (train.failures.detection)";
    case Remedy::kLessLost:
      return "less that is lost each time (money.spot.loss)";
    case Remedy::kMoreCheckpoints:
      return "more frequent checkpoints (train.failures.interval)";
    case Remedy::kFewerCheckpoints:
      return "less frequent checkpoints (train.failures.interval)";
    case Remedy::kFasterCheckpoints:
      return "faster checkpoints (train.failures.storage, or checkpoint: in-memory)";
    case Remedy::kMoreSpares:
      return fmt::format(
          "{} spare nodes instead of {} (train.failures.spares), which leave a goodput of {:.1f} %",
          stall.best_spares, stall.spares, 100.0 * stall.with_spares);
    case Remedy::kSoonerRepairs:
      return "sooner repairs (train.failures.repair)";
    case Remedy::kKeptMachines:
      return "machines that are not taken away (money.options)";
    case Remedy::kFewerGpus:
      return "fewer GPUs";
  }
  return {};
}

std::string undivided_words(const MachineObjection& objection, int gpus) {
  return fmt::format(
      "no legal tp × pp × cp × dp{} makes {} of a batch of {}, which dp must divide; another "
      "number "
      "of GPUs or train.global_batch may",
      objection.fixed.empty()
          ? ""
          : fmt::format(" with {} as written", fmt::join(objection.fixed, ", ")),
      counted(gpus, "GPU"), counted(objection.global_batch, "sequence"));
}

constexpr std::string_view kFront[] = {"days", "dollars", "GPUs", "power", "headroom"};

}  // namespace

std::string words_of(const PowerObjection& objection) {
  if (objection.is_of_rack)
    return fmt::format("one node draws {} of the {} that a rack has",
                       format_display(any(objection.drawn)), format_display(any(objection.limit)));
  return fmt::format("{}draws {} of the {} that the site has, which feed {}",
                     objection.has_spares ? fmt::format("with spares, {} GPUs in all, it ",
                                                        format_count(std::llround(objection.gpus)))
                                          : std::string(),
                     format_display(any(objection.drawn)), format_display(any(objection.limit)),
                     format_count(objection.fed));
}

std::string stall_words(const RunStall& stall) {
  const std::string every = format_display(any(stall.every));
  const std::string each = format_display(any(stall.each));
  switch (stall.cause) {
    case RunStall::Cause::kPlannedStops:
      return "planned stops and their restarts take all of the time";
    case RunStall::Cause::kStops:
      return fmt::format("a stop every {} costs {} of restart and lost work", every, each);
    case RunStall::Cause::kCheckpoints:
      return fmt::format("a checkpoint every {} stops everybody for {}", every, each);
    case RunStall::Cause::kRepairs:
      return fmt::format(
          "{:.3g} nodes are in repair on average and {} is spare: {:.1f} % of the time the job "
          "waits for one",
          stall.in_repair, stall.spares > 0 ? std::to_string(stall.spares) : "none",
          100.0 * stall.waiting);
    case RunStall::Cause::kTogether:
      break;
  }
  return fmt::format(
      "restarts and lost work ({:.0f} %), checkpoints ({:.0f} %) and waiting for repairs take all "
      "of the time",
      100.0 * stall.lost, 100.0 * stall.checkpointing);
}

std::string remedy_words(const RunStall& stall) {
  std::vector<std::string> words;
  for (const RunStall::Remedy remedy : stall.remedies) words.push_back(words_of(remedy, stall));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string words_of(const MachineObjection& objection, int gpus) {
  using Kind = MachineObjection::Kind;
  switch (objection.kind) {
    case Kind::kNoArithmetic:
      return fmt::format("has no {} arithmetic", objection.precision);
    case Kind::kNoAbility:
      return fmt::format("{} cannot run {}", objection.stack, objection.precision);
    case Kind::kGpuLimit:
      return fmt::format("limits.gpus allows {}", format_count(objection.limit));
    case Kind::kNoRent:
      return "nobody rents it out in our price list; --objective time needs none";
    case Kind::kNoPrice:
      return fmt::format("has no price: {}; --objective time needs none",
                         fmt::join(objection.ways, ", "));
    case Kind::kStalls:
      return fmt::format("makes no progress: {}; what would help: {}",
                         stall_words(*objection.stall), remedy_words(*objection.stall));
    case Kind::kPower:
      return words_of(*objection.power);
    case Kind::kUnkept:
      return fmt::format(
          "{}; with {}, a batch of {} and this software no legal layout does; leave it out, or "
          "change what it depends on",
          objection.refusal, counted(gpus, "GPU"), counted(objection.global_batch, "sequence"));
    case Kind::kStage:
      return fmt::format("the stage with sequences of {} tokens fits in no layout",
                         format_count(objection.sequence));
    case Kind::kUndivided:
      break;
  }
  return undivided_words(objection, gpus);
}

std::string front_words(const std::vector<FrontFigure>& figures) {
  std::vector<std::string_view> words;
  for (const FrontFigure figure : figures)
    words.push_back(kFront[static_cast<std::size_t>(figure)]);
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace loadfactor::report

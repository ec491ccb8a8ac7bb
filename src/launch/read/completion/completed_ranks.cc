// The ranks of a run, and its batch.
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/completion/deduction.h"

namespace loadfactor::launch {
namespace {

class RankCompletion : private Deduction {
 public:
  using Deduction::Deduction;

  void complete() {
    world();
    batch();
  }

 private:
  void world() {
    const auto nodes = number("nodes");
    const auto each = number("gpus_per_node");
    if (const auto marked = number("mark.gpus");
        marked && nodes && each && *nodes * *each != *marked)
      return findings_.error(
          lf::kContradictoryKeys, place("mark.gpus"),
          fmt::format("{} GPUs here, and {} nodes start {} ranks each", *marked, *nodes, *each),
          "nodes times the ranks of a node are the GPUs");
    if (nodes && each)
      derive("world", *nodes * *each, "nodes", {"gpus_per_node"}, "nodes times their GPUs");
    const auto copies = number("copies");
    const auto shares = number("shares");
    if (copies && shares && *shares > 0)
      derive("train.layout.dp", *copies * *shares, "copies", {"shares"}, "copies times shares");
    ranks_of_batch();
    const auto fixed = fixed_ranks();
    if (!fixed) {
      if (const auto all = number("world"))
        derive("train.layout.gpus", *all, "world", {}, "the GPUs that are started");
      return;
    }
    if (const auto all = number("world"))
      ranks_of_world(*all, *fixed);
    else if (const auto dp = number("train.layout.dp"))
      findings_.guess("train.layout.gpus", std::to_string(*dp * *fixed), "tp · pp · cp · dp");
  }
  // The batch says the ranks where nothing else does.
  void ranks_of_batch() {
    const auto global = number("train.global_batch");
    const auto micro = number("train.layout.micro_batch");
    const auto steps = number("accumulation");
    if (number("world") || number("train.layout.dp") || !global || !micro || !steps) return;
    if (*global % (*micro * *steps) == 0)
      return findings_.guess("train.layout.dp", std::to_string(*global / (*micro * *steps)),
                             "by the batch");
    findings_.error(lf::kContradictoryKeys, place("train.global_batch"),
                    fmt::format("a batch of {} is no whole number of ranks of {} sequences in {} "
                                "steps",
                                *global, *micro, *steps),
                    "global batch = dp · micro-batch · accumulation");
  }
  void ranks_of_world(std::int64_t all, std::int64_t fixed) {
    const std::string why = "the GPUs that are started";
    if (findings_.is_guess("world")) {
      // A guess that does not go with the rest is none.
      const auto dp = number("train.layout.dp");
      if (all % fixed == 0 && (!dp || *dp * fixed == all)) {
        derive("train.layout.gpus", all, "world", {}, why);
        return derive("train.layout.dp", all / fixed, "world", {}, why);
      }
      findings_.remark(fmt::format("{} GPUs ({}) do not go with tp · pp · cp = {}", all,
                                   findings_.find("world")->why, fixed),
                       {});
      if (dp)
        findings_.guess("train.layout.gpus", std::to_string(*dp * fixed), "tp · pp · cp · dp");
      return;
    }
    if (all % fixed != 0)
      return findings_.error(
          lf::kContradictoryKeys, place("world"),
          fmt::format("{} GPUs are no multiple of tp · pp · cp = {}", all, fixed),
          "gpus = tp · pp · cp · dp");
    findings_.set("train.layout.gpus", all, place("world"));
    if (findings_.is_guess("train.layout.tp") && number("train.layout.tp") != 1)
      return derive("train.layout.dp", all / fixed, "world", {"train.layout.tp"}, why);
    findings_.set("train.layout.dp", all / fixed, place("world"));
  }
  void batch() {
    const auto dp = number("train.layout.dp");
    const auto micro = number("train.layout.micro_batch");
    const auto steps = number("accumulation");
    const auto global = number("train.global_batch");
    if (dp && micro && steps && *dp * *micro < kMaxCount && *steps < kMaxCount) {
      const std::int64_t product = *dp * *micro * *steps;
      if (global && *global != product)
        return findings_.error(
            lf::kContradictoryKeys, place("train.global_batch"),
            fmt::format("a batch of {} is not {} ranks of {} sequences in {} steps", *global, *dp,
                        *micro, *steps),
            fmt::format("global batch = dp · micro-batch · accumulation = {}", product));
      findings_.conclude("train.global_batch", std::to_string(product),
                         "dp · micro-batch · accumulation");
    }
    if (dp && global && micro && *global % (*dp * *micro) != 0)
      findings_.error(
          lf::kContradictoryKeys, place("train.global_batch"),
          fmt::format("a batch of {} is no whole number of micro-batches of {} on {} ranks",
                      *global, *micro, *dp),
          "global batch = dp · micro-batch · a whole number");
    const bool is_asked = findings_.is_open("train.layout.micro_batch");
    if (const auto local = number("local_batch"); local && !micro && degree("pp").value_or(1) > 1)
      findings_.guess("train.layout.micro_batch", "1",
                      "assumed to be torchtitan's default in a pipeline; no table of its flags "
                      "says it");
    else if (local && !micro && !is_asked)
      derive("train.layout.micro_batch", *local, "local_batch", {}, "the local batch");
    if (dp && !global && number("local_batch"))
      findings_.guess("train.global_batch", std::to_string(*dp * *number("local_batch")),
                      "dp · local batch, without accumulation");
  }
};

}  // namespace

void complete_ranks(Findings& findings) {
  RankCompletion(findings).complete();
}

}  // namespace loadfactor::launch

// What the copies of a model share, as each trainer says it.
#include <string>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/read/completion/deduction.h"

namespace loadfactor::launch {
namespace {

class ShardingCompletion : private Deduction {
 public:
  using Deduction::Deduction;

  void complete() {
    titan_shares();
    const auto copies = number("copies");
    const auto shares = number("shares");
    const auto dp = number("train.layout.dp");
    const Finding* reshard = findings_.find("reshard");
    if (shares && findings_.find("train.layout.zero") == nullptr) {
      const Finding* program = findings_.find("program");
      const bool is_usual = reshard == nullptr || reshard->value == "default";
      const bool is_titan = program != nullptr && program->value == "torchtitan";
      const bool keeps_usually = is_usual && is_titan && degree("pp").value_or(1) > 1;
      const bool keeps = keeps_usually || (!is_usual && reshard->value == "never");
      // What is left over for the shares may be one rank.
      const bool is_alone = *shares < 1 && copies && *copies > 1 && dp && *dp == *copies;
      const bool is_sharded = (*shares != 1 && !is_alone) || (dp && *dp == 1);
      const std::string stage = !is_sharded ? "0" : keeps ? "2" : "3";
      if (keeps_usually && is_sharded)
        findings_.guess("train.layout.zero", stage,
                        "torchtitan keeps gathered parameters in a pipeline unless it is told");
      else if (findings_.is_guess("shares"))
        findings_.guess("train.layout.zero", stage, findings_.find("shares")->why);
      else
        findings_.set("train.layout.zero", stage, place("shares"));
    }
    if (copies && *copies > 1 && shares && *shares > 1)
      findings_.set("train.layout.shard_group", *shares, place("shares"));
    if (copies && *copies > 1 && shares && *shares < 1) {
      if (dp && *dp % *copies == 0 && *dp > *copies)
        derive("train.layout.shard_group", *dp / *copies, "copies", {"train.layout.dp"},
               "dp over its copies");
      if (!dp)
        findings_.remark(
            fmt::format("{} copies share what is left: shard_group is dp / {} once the GPUs are "
                        "known",
                        *copies, *copies),
            place("copies"));
    }
    if (const auto groups = number("shard_copies"); groups && *groups > 1 && dp) {
      if (*dp % *groups == 0)
        findings_.set("train.layout.shard_group", *dp / *groups, place("shard_copies"));
    }
    hybrid_group();
    if (const auto group = number("train.layout.shard_group");
        group && (*group < 1 || (dp && *group >= *dp)))
      findings_.erase("train.layout.shard_group");
  }

 private:
  // torchtitan shards over all ranks where nothing says otherwise.
  void titan_shares() {
    const Finding* program = findings_.find("program");
    if (program != nullptr && program->value == "torchtitan" && !number("copies") &&
        !findings_.is_open("copies") && !findings_.is_open("train.layout.zero"))
      findings_.guess("shares", "-1", "torchtitan's default");
  }
  // A strategy that shards within a node has the ranks of one node in a group.
  void hybrid_group() {
    const Finding* hybrid = findings_.find("hybrid_shard");
    if (hybrid == nullptr || findings_.find("train.layout.shard_group") != nullptr) return;
    const auto nodes = number("nodes");
    const auto all = number("world");
    auto each = number("gpus_per_node");
    if (!each && nodes && all && *all % *nodes == 0) each = *all / *nodes;
    const auto fixed = fixed_ranks();
    if (!each || !fixed || *each % *fixed != 0)
      return findings_.leave_open(
          "train.layout.shard_group", hybrid->place,
          fmt::format("{} shards over the GPUs of a node, which the files do not tell",
                      hybrid->value));
    const char* from = number("gpus_per_node") ? "gpus_per_node" : "world";
    derive("train.layout.shard_group", *each / *fixed, from, {}, "the GPUs of a node");
  }
};

}  // namespace

void complete_sharding(Findings& findings) {
  ShardingCompletion(findings).complete();
}

void settle_offloaded_shards(Findings& findings) {
  const auto zero = findings.number("train.layout.zero");
  const Finding* offload = findings.find("train.layout.offload");
  const Finding* framework = findings.find("train.stack.framework");
  const bool leave = offload != nullptr && offload->value.find("parameters") != std::string::npos;
  const bool is_deepspeed = framework != nullptr && framework->value.starts_with("deepspeed");
  if (!zero || *zero != 2 || !leave || is_deepspeed) return;
  findings.erase("train.layout.zero");
  findings.guess("train.layout.zero", "3",
                 "shards of parameters leave the device; gathered once more than here");
}

}  // namespace loadfactor::launch

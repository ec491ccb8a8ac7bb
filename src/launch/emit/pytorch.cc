// Programs without a table of flags: PyTorch's own, Horovod and MPI. The layout travels in
// variables.
#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

using training::Sharding;

void refuse_common(Desk& desk, std::string_view what) {
  const auto& layout = desk.run().layout;
  const std::string why = fmt::format("{} has data parallelism alone", what);
  desk.refuse_degree("train.layout.tp", layout.tp, why);
  desk.refuse_degree("train.layout.pp", layout.pp, why);
  desk.refuse_degree("train.layout.cp", layout.cp, why);
  desk.refuse_degree("train.layout.ep", layout.ep, why);
  if (layout.offload.activation_layers > 0 || layout.offload.activations)
    desk.refuse("train.layout.offload", "activations", "its program would have to do it");
  if (!desk.run().gradients.empty())
    desk.refuse("train.layout.gradients", desk.run().gradients, "its program would have to do it");
  refuse_formats(desk, {});
  if (desk.run().lora)
    desk.refuse("train.lora", std::to_string(*desk.run().lora), "adapters are the program's");
}

// `ddp`, `zero-1`, `fsdp-gradients`, `fsdp` or `hsdp`.
const char* strategy_of(const training::Layout& layout) {
  switch (layout.sharding) {
    case Sharding::kNone:
      return "ddp";
    case Sharding::kOptimizer:
      return "zero-1";
    case Sharding::kGradients:
      return "fsdp-gradients";
    case Sharding::kHybrid:
      return "hsdp";
    default:
      return "fsdp";
  }
}

std::string layout_text(const Desk& desk) {
  const auto& layout = desk.run().layout;
  const auto from = [&](const char* key) { return desk.from(fmt::format("train.layout.{}", key)); };
  std::string text =
      fmt::format("export LF_STRATEGY={}  # {}\n", strategy_of(layout), from("zero"));
  if (layout.shard_group > 0 && layout.shard_group < layout.dp)
    text +=
        fmt::format("export LF_SHARD_GROUP={}  # {}\n", layout.shard_group, from("shard_group"));
  if (layout.offload.optimizer || layout.offload.parameters)
    text +=
        fmt::format("export LF_OFFLOAD={}{}{}  # {}\n", layout.offload.optimizer ? "optimizer" : "",
                    layout.offload.optimizer && layout.offload.parameters ? "," : "",
                    layout.offload.parameters ? "parameters" : "", from("offload"));
  return text;
}

void emit_processes(Desk& desk, std::string_view what, const std::string& launch) {
  refuse_common(desk, what);
  if (desk.run().layout.sharding != Sharding::kNone)
    desk.refuse("train.layout.zero", std::to_string(static_cast<int>(desk.run().layout.sharding)),
                fmt::format("{} reduces gradients and shards nothing", what));
  std::string script =
      script_head(desk.plan(), {"Starts all processes by a hostfile: ./train.sh train.py",
                                "The launcher's flags are not held to a table."});
  script += environment_text(desk) + layout_text(desk);
  script += "\nhostfile=\"${HOSTFILE:-hosts}\"  # One line a node.\nprogram=\"${1:-train.py}\"\n" +
            launch;
  desk.add("train.sh", Role::kCommand, script);
}

}  // namespace

void emit_pytorch(Desk& desk) {
  refuse_common(desk, "this target");
  std::string script =
      script_head(desk.plan(), {"Starts one node's share: ./train.sh train.py",
                                "LF_STRATEGY says how the program wraps its model: ddp, zero-1, "
                                "fsdp-gradients, fsdp or hsdp."});
  script += environment_text(desk) + layout_text(desk) + "\nprogram=\"${1:-train.py}\"\n";
  std::string line = torchrun_text(desk.run(), "\"$program\"", "");
  line.replace(line.rfind("\"$@\""), 4, "\"${@:2}\"");
  desk.add("train.sh", Role::kCommand, script + line);
}

void emit_horovod(Desk& desk) {
  emit_processes(desk, "Horovod",
                 fmt::format("exec horovodrun -np {} --hostfile \"$hostfile\" python \"$program\" "
                             "\"${{@:2}}\"\n",
                             desk.run().layout.gpus));
}

void emit_mpirun(Desk& desk) {
  emit_processes(
      desk, "this target",
      fmt::format(
          "variables=()\nfor name in $(compgen -e LF_); do variables+=(-x \"$name\"); done\n"
          "exec mpirun -np {} --map-by ppr:{}:node --hostfile \"$hostfile\" "
          "\"${{variables[@]}}\" python \"$program\" \"${{@:2}}\"\n",
          desk.run().layout.gpus, desk.run().gpus_on_node()));
}

}  // namespace loadfactor::launch

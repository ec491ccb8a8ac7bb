// A batch job of Slurm around a framework or an engine.
#include <algorithm>

#include <fmt/format.h>

#include "base/plural.h"
#include "launch/emit/shell_text.h"
#include "launch/emit/targets.h"

namespace loadfactor::launch {
namespace {

struct Job {
  const Machine& machine;
  int nodes = 1;
  int gpus = 8;  // On each node.
  std::string name;

  bool is_whole() const { return gpus >= machine.gpus_per_node; }
  // What of a node's means goes with the GPUs.
  double share() const { return static_cast<double>(gpus) / machine.gpus_per_node; }
  int cores() const { return static_cast<int>(machine.cores * share()); }
};

// `h100` of h100-sxm: the type as sites call it.
std::string_view type_of(std::string_view chip) {
  return chip.substr(0, chip.find('-'));
}

std::string head_of(const Job& job, const std::vector<std::pair<std::string, std::string>>& more) {
  constexpr double kFree = 0.9;  // What the system of a node leaves to jobs.
  std::string text = "#!/bin/bash\n";
  const auto line = [&text](const std::string& option, const std::string& remark) {
    text += fmt::format("{:<42} # {}\n", "#SBATCH --" + option, remark);
  };
  line("job-name=" + job.name, "the scenario's name");
  line(fmt::format("nodes={}", job.nodes), "whole machines of the plan");
  line("ntasks-per-node=1", "one launcher a node");
  // Machines of AWS's own chips are taken whole, and no batch system counts the chips.
  if (job.machine.vendor != "aws")
    line(fmt::format("gpus-per-node={}", job.gpus),
         fmt::format("of the plan; add your site's type: {}:{}", type_of(job.machine.chip),
                     job.gpus));
  if (job.cores() > 0)
    line(fmt::format("cpus-per-task={}", job.cores()),
         job.is_whole() ? "all cores of a node, by the catalogue"
                        : "the share of a node's cores that goes with its GPUs");
  if (job.is_whole()) {
    line("exclusive", "the prediction shares a node with nobody");
    line("mem=0", "all memory of a node");
  } else if (job.machine.memory > 0) {
    line(fmt::format("mem={}G", static_cast<int>(kFree * job.machine.memory * job.share())),
         "the share of a node's memory that goes with its GPUs");
  }
  for (const auto& [option, remark] : more) line(option, remark);
  return text;
}

// Jobs' steps do not inherit the cores of a task.
std::string srun_text(const Job& job) {
  return job.cores() > 0 ? "srun --kill-on-bad-exit=1 --cpus-per-task=\"$SLURM_CPUS_PER_TASK\""
                         : "srun --kill-on-bad-exit=1";
}

// What the ranks of a job tell each other by.
std::string network_text(const Machine& machine, int nodes) {
  std::string text =
      "MASTER_ADDR=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\n"
      "MASTER_PORT=$((29500 + SLURM_JOB_ID % 1000))  # Jobs that share a node meet apart.\n"
      "export MASTER_ADDR MASTER_PORT NNODES=\"$SLURM_JOB_NUM_NODES\"\n";
  if (nodes == 1) return text;
  std::string fabric = machine.fabric;
  std::transform(fabric.begin(), fabric.end(), fabric.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool is_efa = fabric.find("efa") != std::string::npos;
  const std::string what = machine.fabric.empty() ? "the fabric between nodes" : machine.fabric;
  if (machine.vendor == "nvidia" || machine.vendor == "amd")
    text += fmt::format("export NCCL_IB_DISABLE={}  # {}\n", is_efa ? 1 : 0, what);
  if (is_efa) text += "export FI_PROVIDER=efa\n";
  text += "export NCCL_DEBUG=WARN TORCH_NCCL_ASYNC_ERROR_HANDLING=1\n";
  return text;
}

void emit_run(Desk& desk) {
  const RunPlan& run = desk.run();
  constexpr double kMargin = 1.2;
  std::vector<std::pair<std::string, std::string>> more;
  if (run.duration)
    more.emplace_back(
        "time=" + hours_and_minutes(Seconds::from_base(kMargin * run.duration->base())),
        "the predicted time and a fifth");
  more.emplace_back("requeue", "after a node has failed, from the last checkpoint");
  more.emplace_back("signal=B:USR1@300", "five minutes to save before the end");
  if (run.nodes() > 1) more.emplace_back("switches=1", "near each other, where the site can");
  if (more.back().first == "switches=1" && run.nodes() > 16) more.pop_back();
  const Job job{run.machine, run.nodes(), run.gpus_on_node(), plain_name(desk.plan().name)};
  std::string text = head_of(job, more);
  text += file_head(desk.plan(), {"Submit it where train.sh is, with what train.sh asks for behind "
                                  "it: sbatch job.sbatch ..."});
  text += "set -euo pipefail\n\n" + network_text(run.machine, run.nodes());
  text +=
      "\n# Before the end the ranks are asked to stop, which torchrun passes on, and the job is "
      "queued again.\n"
      "forward() {\n"
      "  scancel --signal=TERM \"$SLURM_JOB_ID\"\n"
      "  wait \"$job\" || true\n"
      "  scontrol requeue \"$SLURM_JOB_ID\"\n"
      "}\n" +
      srun_text(job) +
      " bash \"${SLURM_SUBMIT_DIR:-.}/train.sh\" \"$@\" &\n"
      "job=$!\n"
      "trap forward USR1\n"
      "wait \"$job\"  # Its status is the job's.\n";
  desk.add("job.sbatch", Role::kScript, text);
}

void emit_service(Desk& desk) {
  int port = desk.service().engine == "sglang" ? 30000 : 8000;
  for (const ReplicaPool& pool : desk.service().pools) {
    const std::string name = pool.name.empty() ? "serve" : pool.name;
    std::vector<std::pair<std::string, std::string>> more;
    more.emplace_back(fmt::format("array=0-{}", pool.replicas - 1),
                      counted(pool.replicas, "replica") + ", a job each");
    more.emplace_back("requeue", "after a node has failed");
    const Job job{pool.machine, pool.nodes(), pool.gpus_on_node(), plain_name(desk.plan().name)};
    std::string text = head_of(job, more);
    text += file_head(desk.plan(),
                      {fmt::format("Submit it where {}.sh is: sbatch {}.sbatch", name, name)});
    text += "set -euo pipefail\n\n" + network_text(pool.machine, pool.nodes());
    if (!job.is_whole())
      text += fmt::format(
          "export PORT=$(({} + SLURM_ARRAY_TASK_ID))  # Replicas that share a node listen apart.\n",
          port);
    constexpr int kApart = 1000;  // Pools listen further apart than replicas of one.
    port += kApart;
    text += fmt::format(
        "{} bash -c 'NODE_RANK=$SLURM_NODEID exec bash \"$0\" \"$@\"' "
        "\"${{SLURM_SUBMIT_DIR:-.}}/{}.sh\" \"$@\"\n",
        srun_text(job), name);
    desk.add(name + ".sbatch", Role::kScript, text);
  }
}

}  // namespace

bool emit_inside(Desk& desk) {
  const std::string_view inside = target_of(desk.plan());
  const std::string outside = desk.target();
  if (inside.empty()) {
    const bool is_run = desk.plan().run.has_value();
    desk.refuse(is_run ? "train.stack.framework" : "serve.deployment.engine",
                is_run ? desk.run().framework : desk.service().engine,
                "no target launches it; name one that has one");
    return false;
  }
  desk.call(std::string(inside));
  if (inside == "megatron") emit_megatron(desk);
  if (inside == "deepspeed") emit_deepspeed(desk);
  if (inside == "torchtitan") emit_torchtitan(desk);
  if (inside == "accelerate") emit_accelerate(desk);
  if (inside == "pytorch") emit_pytorch(desk);
  if (inside == "horovod") emit_horovod(desk);
  if (inside == "maxtext") emit_maxtext(desk);
  if (inside == "neuronx") emit_neuronx(desk);
  if (inside == "vllm") emit_vllm(desk);
  if (inside == "sglang") emit_sglang(desk);
  if (inside == "tensorrt-llm") emit_tensorrt_llm(desk);
  desk.call(outside);
  return true;
}

void emit_slurm(Desk& desk) {
  if (desk.plan().service && desk.service().scaler)
    return desk.refuse("serve.deployment.scaling.most", std::to_string(desk.service().scaler->most),
                       "a batch system starts a fixed number of replicas");
  if (!emit_inside(desk)) return;
  if (desk.plan().run) return emit_run(desk);
  emit_service(desk);
}

void emit_kubernetes(Desk& desk) {
  if (desk.plan().run) {
    if (emit_inside(desk)) emit_kubernetes_run(desk);
    return;
  }
  emit_kubernetes_service(desk);
}

}  // namespace loadfactor::launch

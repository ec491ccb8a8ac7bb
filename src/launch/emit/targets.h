// What each target writes.
#pragma once

#include "launch/emit/arguments.h"
#include "launch/emit/emission.h"
#include "launch/vocabulary/tree.h"

namespace loadfactor::launch {

// Training; each leaves a `train.sh` that starts one node's share.
void emit_megatron(Desk& desk);
void emit_deepspeed(Desk& desk);
void emit_torchtitan(Desk& desk);
void emit_accelerate(Desk& desk);
void emit_pytorch(Desk& desk);
void emit_horovod(Desk& desk);
void emit_mpirun(Desk& desk);
void emit_maxtext(Desk& desk);
void emit_neuronx(Desk& desk);

// Serving; each leaves a script that starts a replica, one for each pool.
void emit_vllm(Desk& desk);
void emit_sglang(Desk& desk);
void emit_tensorrt_llm(Desk& desk);
// The arguments of one replica, for a script and for a manifest alike.
Arguments vllm_arguments(Desk& desk, const ReplicaPool& pool);
Arguments sglang_arguments(Desk& desk, const ReplicaPool& pool);

// Around them.
// The framework's or engine's own files, under the name of this target; false where it has none.
bool emit_inside(Desk& desk);
void emit_slurm(Desk& desk);
void emit_kubernetes(Desk& desk);
void emit_kubernetes_run(Desk& desk);
void emit_kubernetes_service(Desk& desk);
void emit_hpa(Desk& desk);
void emit_rayjob(Desk& desk);
void emit_dynamo(Desk& desk);
void emit_kserve(Desk& desk);

// Watching and paying.
void emit_litellm(Desk& desk);
void emit_prometheus(Desk& desk);
void emit_rules(Desk& desk);
void emit_grafana(Desk& desk);
void emit_focus(Desk& desk);
void emit_infracost(Desk& desk);

// Writes documents into one file, held to the kinds of Kubernetes.
void add_manifests(Desk& desk, std::string path, const std::string& head,
                   const std::vector<Tree>& documents);

// A torchrun line of one node behind an array of arguments, and what it needs.
std::string torchrun_text(const RunPlan& run, std::string_view program, std::string_view array);
// Why so many steps lie between two checkpoints, what more of them would lose, and what they take
// on disk; `retention` says how many the framework keeps.
std::string save_remark(const RunPlan& run, std::string_view retention);
// Who gave a model, and whether the name that stands before it is one to load it by.
std::string model_remark(const Desk& desk, const ModelShape& model, std::string_view key);
// What the user's own training program reads, as exported variables.
std::string environment_text(const Desk& desk);

// Formats of state, kept inputs, gradients and tokens that a framework has words for; others of a
// run are refused by their keys.
struct FormatWords {
  bool moments = false;
  bool capacity = false;
};
void refuse_formats(Desk& desk, const FormatWords& words);

}  // namespace loadfactor::launch

#include "launch/emit/manifests.h"

#include <fmt/format.h>

#include "launch/emit/shell_text.h"
#include "launch/vocabulary/public_names.h"

namespace loadfactor::launch {

Tree manifest(const Kinds& kinds, const std::string& kind, const std::string& name,
              std::vector<Branch> labels) {
  Tree tree = Tree::map();
  tree.set("apiVersion", kinds.api_version(kind)).set("kind", kind);
  Tree metadata = Tree::map();
  metadata.set("name", name);
  if (!labels.empty()) metadata.set("labels", Tree::map(std::move(labels)));
  tree.set("metadata", std::move(metadata));
  return tree;
}

std::string gpu_resource(Desk& desk, const Machine& machine, std::string_view key) {
  if (machine.vendor == "nvidia") return "nvidia.com/gpu";
  if (machine.vendor == "amd") return "amd.com/gpu";
  // Ranks of an engine are cores there, of which no degree of a service counts any.
  if (machine.vendor == "aws" && desk.plan().run) return "aws.amazon.com/neuron";
  desk.refuse(key, machine.chip, "the name of its resource in Kubernetes is not known");
  return "nvidia.com/gpu";
}

namespace {

// Fabrics on which the ranks of several nodes write into each other's memory.
bool is_infiniband(const Machine& machine) {
  return machine.fabric.find("infiniband") != std::string::npos;
}
bool is_efa(const Machine& machine) {
  return machine.fabric.find("efa") != std::string::npos;
}

// What the GPUs alone do not bring: the network devices of the prediction, and memory that stays.
std::string fabric_remark(const ContainerAsk& ask) {
  if (ask.machine == nullptr || ask.nodes == 1) return {};
  const bool is_known = is_infiniband(*ask.machine) || is_efa(*ask.machine);
  if (!is_known) return {};
  return fmt::format(
      "the prediction has {} between nodes: add the resource of your device plugin, "
      "such as {}",
      ask.machine->fabric,
      is_efa(*ask.machine) ? "vpc.amazonaws.com/efa" : "rdma/hca_shared_devices_a");
}

Tree locked_memory() {
  Tree capabilities = Tree::map();
  capabilities.set("add", Tree::texts({"IPC_LOCK"}), "buffers of the network stay in memory");
  return Tree::map({{"capabilities", std::move(capabilities), ""}});
}

}  // namespace

Tree variable(const char* name, const std::string& value) {
  Tree tree = Tree::map();
  tree.set("name", name).set("value", value);
  return tree;
}

Tree fabric_variables(const Machine& machine, int nodes) {
  Tree variables = Tree::list();
  if (nodes == 1) return variables;
  if (is_infiniband(machine)) variables.items.push_back(variable("NCCL_IB_DISABLE", "0"));
  if (is_efa(machine)) variables.items.push_back(variable("FI_PROVIDER", "efa"));
  return variables;
}

Tree node_selector(const Machine& machine) {
  Tree labels = Tree::map();
  if (const auto label = gpu_label_of(machine.chip)) labels.set(label->key, label->value);
  return labels;
}

void select_nodes(const Machine& machine, Tree& pod) {
  const auto label = gpu_label_of(machine.chip);
  if (!label) return;
  pod.set("nodeSelector", node_selector(machine),
          label->is_assumed ? "the GPU that was predicted; the label is assumed, compare it with "
                              "`kubectl get nodes --show-labels`"
                            : "the GPU that was predicted");
}

Tree container(const ContainerAsk& ask) {
  Tree tree = Tree::map();
  tree.set("name", ask.name).set("image", "IMAGE", ask.image_remark);
  if (!ask.command.empty()) tree.set("command", Tree::texts(ask.command));
  if (!ask.args.empty()) tree.set("args", Tree::texts(ask.args));
  Tree limits = Tree::map();
  limits.set(ask.resource, std::to_string(ask.gpus), "of the plan");
  tree.set("resources", Tree::map({{"limits", std::move(limits), fabric_remark(ask)}}));
  if (!fabric_remark(ask).empty()) tree.set("securityContext", locked_memory());
  return tree;
}

Tree shared_memory_mount() {
  Tree mount = Tree::map();
  mount.set("name", "shared-memory").set("mountPath", "/dev/shm");
  return Tree::list({std::move(mount)});
}

Tree shared_memory_volume() {
  Tree volume = Tree::map();
  Tree memory = Tree::map();
  memory.set("medium", "Memory");
  volume.set("name", "shared-memory")
      .set("emptyDir", std::move(memory), "ranks of a node talk through it");
  return Tree::list({std::move(volume)});
}

EngineCommand engine_command(Desk& desk, const ReplicaPool& pool) {
  const ServicePlan& service = desk.service();
  EngineCommand out;
  const auto append = [&out](const Arguments& arguments) {
    const auto words = arguments.words();
    out.args.insert(out.args.end(), words.begin(), words.end());
  };
  if (service.engine == "sglang") {
    out.command = {"python3", "-m", "sglang.launch_server"};
    out.port = 30000;
    out.args = {"--model-path", service.model.checkpoint(), "--host", "0.0.0.0", "--port", "30000"};
    append(sglang_arguments(desk, pool));
    return out;
  }
  if (service.engine.starts_with("vllm")) {
    out.command = {"vllm", "serve"};
    out.args = {service.model.checkpoint(), "--port", "8000"};
    append(vllm_arguments(desk, pool));
    return out;
  }
  desk.refuse("serve.deployment.engine", service.engine,
              "manifests are written for vllm and sglang");
  return out;
}

void add_manifests(Desk& desk, std::string path, const std::string& head,
                   const std::vector<Tree>& documents) {
  const Kinds kinds = Kinds::read();
  std::string text = head;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    for (const auto& fault : kinds.check(documents[i]))
      desk.fault(fmt::format("{} {}", fault.path, fault.what));
    text += (i > 0 ? "---\n" : "") + to_yaml(documents[i]);
  }
  desk.add(std::move(path), Role::kManifest, std::move(text));
}

}  // namespace loadfactor::launch

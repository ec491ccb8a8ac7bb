#include "launch/emit/manifests.h"

#include <fmt/format.h>

#include "launch/emit/shell_text.h"

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
  desk.refuse(key, machine.chip, "the name of its resource in Kubernetes is not known");
  return "nvidia.com/gpu";
}

Tree container(const ContainerAsk& ask) {
  Tree tree = Tree::map();
  tree.set("name", ask.name).set("image", "IMAGE", ask.image_remark);
  if (!ask.command.empty()) tree.set("command", Tree::texts(ask.command));
  if (!ask.args.empty()) tree.set("args", Tree::texts(ask.args));
  Tree limits = Tree::map();
  limits.set(ask.resource, std::to_string(ask.gpus), "of the plan");
  tree.set("resources", Tree::map({{"limits", std::move(limits), ""}}));
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
    out.args = {"--model-path", service.model.name, "--host", "0.0.0.0", "--port", "30000"};
    append(sglang_arguments(desk, pool));
    return out;
  }
  if (service.engine.starts_with("vllm")) {
    out.command = {"vllm", "serve"};
    out.args = {service.model.name, "--port", "8000"};
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

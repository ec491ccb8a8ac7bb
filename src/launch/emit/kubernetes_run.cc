// A training run on Kubernetes: a JobSet whose pods are nodes, and the queue that admits it.
#include <fmt/format.h>

#include "launch/emit/manifests.h"
#include "launch/emit/shell_text.h"

namespace loadfactor::launch {
namespace {

Tree variable_of_field(const char* name, const char* path) {
  Tree field = Tree::map();
  field.set("fieldPath", path);
  Tree tree = Tree::map();
  tree.set("name", name);
  tree.set("valueFrom", Tree::map({{"fieldRef", std::move(field), ""}}));
  return tree;
}

Tree job_set(Desk& desk, const Kinds& kinds, const std::string& name, const std::string& resource) {
  const RunPlan& run = desk.run();
  Tree worker = container({.name = "trainer",
                           .image_remark = "your image with the framework and train.sh",
                           .command = {"bash", "/launch/train.sh"},
                           .args = {},
                           .resource = resource,
                           .gpus = run.gpus_on_node(),
                           .machine = &run.machine,
                           .nodes = run.nodes()});
  Tree variables = fabric_variables(run.machine, run.nodes());
  variables.items.push_back(variable("MASTER_ADDR", fmt::format("{0}-node-0-0.{0}", name)));
  variables.items.push_back(variable("MASTER_PORT", "29500"));
  variables.items.push_back(variable("NNODES", std::to_string(run.nodes())));
  variables.items.push_back(variable_of_field(
      "NODE_RANK", "metadata.annotations['batch.kubernetes.io/job-completion-index']"));
  worker.set("env", std::move(variables));
  worker.set("volumeMounts", launch_mounts());
  Tree pod = Tree::map();
  pod.set("restartPolicy", "Never").set("containers", Tree::list({std::move(worker)}));
  select_nodes(run.machine, pod);
  pod.set("volumes", launch_volumes(name));
  Tree job = Tree::map();
  job.set("completionMode", "Indexed", "a pod's index is its node's rank");
  job.set("completions", Tree::number(run.nodes()), "whole machines of the plan");
  job.set("parallelism", Tree::number(run.nodes()), "all of them at once");
  job.set("backoffLimit", Tree::number(0), "the set starts again as a whole");
  job.set("template", Tree::map({{"spec", std::move(pod), ""}}));
  Tree node = Tree::map();
  node.set("name", "node").set("replicas", Tree::number(1));
  node.set("template", Tree::map({{"spec", std::move(job), ""}}));
  Tree tree =
      manifest(kinds, "JobSet", name,
               {{"kueue.x-k8s.io/queue-name", Tree::text("gpu-queue"), "the LocalQueue above"}});
  Tree spec = Tree::map();
  spec.set("failurePolicy",
           Tree::map({{"maxRestarts", Tree::number(100), "from the last checkpoint"}}));
  spec.set("network", Tree::map({{"enableDNSHostnames", Tree::flag(true), ""}}));
  spec.set("replicatedJobs", Tree::list({std::move(node)}));
  return std::move(tree.set("spec", std::move(spec)));
}

}  // namespace

std::vector<Tree> run_queue(Desk& desk, const Kinds& kinds, const std::string& resource) {
  const RunPlan& run = desk.run();
  const std::string flavour = plain_name(run.machine.chip);
  Tree flavor = manifest(kinds, "ResourceFlavor", flavour);
  if (Tree labels = node_selector(run.machine); !labels.branches.empty())
    flavor.set("spec", Tree::map({{"nodeLabels", std::move(labels), "nodes with that GPU"}}));
  Tree quota = Tree::map();
  quota.set("name", resource);
  quota.set("nominalQuota", Tree::number(run.nodes() * run.gpus_on_node()), "the GPUs of the plan");
  Tree offered = Tree::map();
  offered.set("name", flavour).set("resources", Tree::list({std::move(quota)}));
  Tree resources = Tree::map();
  resources.set("coveredResources", Tree::texts({resource}));
  resources.set("flavors", Tree::list({std::move(offered)}));
  Tree cluster = manifest(kinds, "ClusterQueue", "gpu-cluster-queue");
  Tree spec = Tree::map();
  spec.set("namespaceSelector", Tree::map());
  spec.set("resourceGroups", Tree::list({std::move(resources)}));
  cluster.set("spec", std::move(spec));
  Tree local = manifest(kinds, "LocalQueue", "gpu-queue");
  local.set("spec", Tree::map({{"clusterQueue", Tree::text("gpu-cluster-queue"), ""}}));
  return {std::move(flavor), std::move(cluster), std::move(local)};
}

Tree launch_mounts() {
  Tree mounts = shared_memory_mount();
  Tree mount = Tree::map();
  mount.set("name", "launch").set("mountPath", "/launch");
  mounts.items.push_back(std::move(mount));
  return mounts;
}

Tree launch_volumes(const std::string& name) {
  Tree volumes = shared_memory_volume();
  Tree files = Tree::map();
  files.set("name", "launch")
      .set("configMap", Tree::map({{"name", Tree::text(name + "-launch"), ""}}));
  volumes.items.push_back(std::move(files));
  return volumes;
}

Tree launch_files(const Kinds& kinds, const std::string& name,
                  const std::vector<EmittedFile>& files) {
  Tree launch = manifest(kinds, "ConfigMap", name + "-launch");
  Tree data = Tree::map();
  for (const EmittedFile& file : files)
    if (file.role == Role::kCommand || file.role == Role::kConfig) data.set(file.path, file.text);
  return std::move(launch.set("data", std::move(data)));
}

void emit_kubernetes_run(Desk& desk) {
  const Kinds kinds = Kinds::read();
  const std::string name = plain_name(desk.plan().name);
  const std::string resource = gpu_resource(desk, desk.run().machine, "hardware");
  std::vector<Tree> documents = run_queue(desk, kinds, resource);
  const auto files = desk.take();
  documents.push_back(launch_files(kinds, name, files));
  documents.push_back(job_set(desk, kinds, name, resource));
  for (const EmittedFile& file : files) desk.add(file.path, file.role, file.text);
  add_manifests(
      desk, "run.yaml",
      file_head(desk.plan(), {"kubectl apply -f run.yaml, once IMAGE is yours and JobSet and "
                              "Kueue are installed.",
                              "What train.sh asks for goes behind it in `command`."}),
      documents);
}

}  // namespace loadfactor::launch

// A training run on Ray: a RayJob whose workers are nodes, each running its share of the script.
#include <fmt/format.h>

#include "launch/emit/manifests.h"
#include "launch/emit/shell_text.h"

namespace loadfactor::launch {
namespace {

// Starts train.sh once on every node and ends with the worst status.
std::string driver_text(const RunPlan& run) {
  return fmt::format(R"(import os
import socket
import subprocess
import sys

import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

NODES, GPUS = {nodes}, {gpus}


@ray.remote(max_retries=0)
def address():
    return socket.gethostbyname(socket.gethostname())


@ray.remote(max_retries=0)
def share(rank, master):
    env = dict(os.environ, MASTER_ADDR=master, MASTER_PORT="29500", NNODES=str(NODES), NODE_RANK=str(rank))
    return subprocess.run(["bash", "/launch/train.sh"], env=env).returncode


ray.init()
group = placement_group([{{"GPU": GPUS, "CPU": 1}}] * NODES, strategy="STRICT_SPREAD")
ray.get(group.ready())
on = [PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=i) for i in range(NODES)]
master = ray.get(address.options(scheduling_strategy=on[0], num_cpus=1).remote())
shares = [share.options(scheduling_strategy=on[i], num_cpus=1, num_gpus=GPUS).remote(i, master) for i in range(NODES)]
# A share that a signal ended has a negative status.
sys.exit(max(128 - code if code < 0 else code for code in ray.get(shares)))
)",
                     fmt::arg("nodes", run.nodes()), fmt::arg("gpus", run.gpus_on_node()));
}

Tree pod_of(Tree member, const std::string& name, const Machine* machine = nullptr) {
  member.set("volumeMounts", launch_mounts());
  Tree pod = Tree::map();
  pod.set("containers", Tree::list({std::move(member)}));
  if (machine != nullptr) select_nodes(*machine, pod);
  pod.set("volumes", launch_volumes(name));
  return Tree::map({{"spec", std::move(pod), ""}});
}

Tree workers(const RunPlan& run, const std::string& name, const std::string& resource) {
  Tree group = Tree::map();
  group.set("groupName", "nodes");
  group.set("replicas", Tree::number(run.nodes()), "whole machines of the plan");
  group.set("minReplicas", Tree::number(run.nodes()));
  group.set("maxReplicas", Tree::number(run.nodes()));
  group.set("rayStartParams", Tree::map());
  Tree member = container({.name = "trainer",
                           .image_remark = "your image with Ray, the framework",
                           .command = {},
                           .args = {},
                           .resource = resource,
                           .gpus = run.gpus_on_node(),
                           .machine = &run.machine,
                           .nodes = run.nodes()});
  Tree variables = fabric_variables(run.machine, run.nodes());
  if (!variables.items.empty()) member.set("env", std::move(variables));
  group.set("template", pod_of(std::move(member), name, &run.machine));
  return group;
}

Tree head(const std::string& name) {
  Tree member = Tree::map();
  member.set("name", "head").set("image", "IMAGE", "the same image");
  Tree group = Tree::map();
  group.set("rayStartParams",
            Tree::map({{"num-gpus", Tree::text("0"), "it only watches over the others"}}));
  group.set("template", pod_of(std::move(member), name));
  return group;
}

Tree ray_job(Desk& desk, const Kinds& kinds, const std::string& name, const std::string& resource) {
  Tree cluster = Tree::map();
  cluster.set("headGroupSpec", head(name));
  cluster.set("workerGroupSpecs", Tree::list({workers(desk.run(), name, resource)}));
  Tree spec = Tree::map();
  spec.set("entrypoint", "python /launch/ray_launch.py");
  spec.set("backoffLimit", Tree::number(100), "from the last checkpoint");
  spec.set("shutdownAfterJobFinishes", Tree::flag(true));
  spec.set("rayClusterSpec", std::move(cluster));
  Tree tree =
      manifest(kinds, "RayJob", name,
               {{"kueue.x-k8s.io/queue-name", Tree::text("gpu-queue"), "the LocalQueue above"}});
  return std::move(tree.set("spec", std::move(spec)));
}

}  // namespace

void emit_rayjob(Desk& desk) {
  const std::string_view inside = target_of(desk.plan());
  if (inside.empty() || inside == "horovod")
    return desk.refuse("train.stack.framework", desk.run().framework,
                       "a RayJob is written around programs that torchrun starts");
  if (inside == "neuronx")
    return desk.refuse("train.stack.framework", desk.run().framework,
                       "its placement counts GPUs: emit slurm or kubernetes");
  if (!emit_inside(desk)) return;
  const Kinds kinds = Kinds::read();
  const std::string name = plain_name(desk.plan().name);
  const std::string resource = gpu_resource(desk, desk.run().machine, "hardware");
  desk.add("ray_launch.py", Role::kConfig, driver_text(desk.run()));
  const auto files = desk.take();
  std::vector<Tree> documents = run_queue(desk, kinds, resource);
  documents.push_back(launch_files(kinds, name, files));
  documents.push_back(ray_job(desk, kinds, name, resource));
  for (const EmittedFile& file : files) desk.add(file.path, file.role, file.text);
  add_manifests(desk, "rayjob.yaml",
                file_head(desk.plan(), {"kubectl apply -f rayjob.yaml, once IMAGE is yours and "
                                        "KubeRay and Kueue are installed."}),
                documents);
}

}  // namespace loadfactor::launch

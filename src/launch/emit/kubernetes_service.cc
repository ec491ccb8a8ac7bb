// A service on Kubernetes: replicas, the way to them, what keeps them up and what scales them.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "launch/emit/engine_questions.h"
#include "launch/emit/manifests.h"
#include "launch/emit/rollout.h"
#include "launch/emit/shell_text.h"

namespace loadfactor::launch {
namespace {

// What all manifests of one pool share.
struct PoolNames {
  std::string name;
  std::string app;
  std::string resource;
  std::string port = "http";
  EngineCommand engine;
};

Tree labels_of(const PoolNames& names) {
  Tree labels = Tree::map();
  labels.set("app", names.app);
  return labels;
}

Tree probe(int port, int period, int failures) {
  Tree get = Tree::map();
  get.set("path", "/health").set("port", Tree::number(port));
  Tree tree = Tree::map();
  tree.set("httpGet", std::move(get));
  tree.set("periodSeconds", Tree::number(period));
  tree.set("failureThreshold", Tree::number(failures));
  return tree;
}

std::string image_remark(const ServicePlan& service) {
  return fmt::format("your image of {}{}", service.engine,
                     service.release.empty() ? "" : " " + service.release);
}

// Who said how many: the pool, or the deployment around it.
std::string replicas_from(const Desk& desk, const ReplicaPool& pool) {
  const std::string own =
      pool.name.empty() ? ""
                        : desk.from(fmt::format("serve.deployment.{}.replicas", pool.name), "");
  return own.empty() ? desk.from("serve.deployment.replicas", "sized for the demand") : own;
}

// What whoever applies it has to give.
std::vector<std::string> to_do(const Desk& desk, const char* file) {
  const ServicePlan& service = desk.service();
  std::vector<std::string> sentences{
      fmt::format("kubectl apply -f {}, once IMAGE is yours.", file),
      fmt::format("Where {} is gated, give the containers HF_TOKEN from a Secret of yours.",
                  service.model.checkpoint())};
  for (auto& each : context_sentences(service, context_flag(service)))
    sentences.push_back(std::move(each));
  return sentences;
}

void add_variables(const ReplicaPool& pool, Tree& member) {
  Tree variables = fabric_variables(pool.machine, pool.nodes());
  if (!variables.items.empty()) member.set("env", std::move(variables));
}

Tree leader(Desk& desk, const ReplicaPool& pool, const PoolNames& names) {
  Tree tree = container({.name = "engine",
                         .image_remark = image_remark(desk.service()),
                         .command = names.engine.command,
                         .args = names.engine.args,
                         .resource = names.resource,
                         .gpus = pool.gpus_on_node(),
                         .machine = &pool.machine,
                         .nodes = pool.nodes()});
  add_variables(pool, tree);
  Tree port = Tree::map();
  port.set("name", names.port).set("containerPort", Tree::number(names.engine.port));
  tree.set("ports", Tree::list({std::move(port)}));
  tree.set("startupProbe", probe(names.engine.port, 10, 180), "half an hour to load the weights");
  tree.set("readinessProbe", probe(names.engine.port, 5, 3));
  tree.set("livenessProbe", probe(names.engine.port, 10, 6));
  tree.set("volumeMounts", shared_memory_mount());
  return tree;
}

Tree pod(const ReplicaPool& pool, const PoolNames& names, Tree engine) {
  Tree spec = Tree::map();
  spec.set("containers", Tree::list({std::move(engine)}));
  select_nodes(pool.machine, spec);
  spec.set("volumes", shared_memory_volume());
  Tree metadata = Tree::map();
  metadata.set("labels", labels_of(names));
  Tree tree = Tree::map();
  tree.set("metadata", std::move(metadata)).set("spec", std::move(spec));
  return tree;
}

Tree deployment(Desk& desk, const Kinds& kinds, const ReplicaPool& pool, const PoolNames& names) {
  Tree tree = manifest(kinds, "Deployment", names.name, labels_of(names).branches);
  Tree spec = Tree::map();
  if (!desk.service().scaler)
    spec.set("replicas", Tree::number(pool.replicas), replicas_from(desk, pool));
  spec.set("selector", Tree::map({{"matchLabels", labels_of(names), ""}}));
  Tree strategy = Tree::map();
  strategy.set("type", "RollingUpdate").set("rollingUpdate", rolling_update(desk, pool));
  spec.set("strategy", std::move(strategy));
  spec.set("template", pod(pool, names, leader(desk, pool, names)));
  return std::move(tree.set("spec", std::move(spec)));
}

// A replica over several nodes: a leader that answers, and workers that compute with it.
Tree group(Desk& desk, const Kinds& kinds, const ReplicaPool& pool, PoolNames names) {
  const bool is_vllm = desk.service().engine.starts_with("vllm");
  const auto add = [&names](const std::vector<std::string>& words) {
    names.engine.args.insert(names.engine.args.end(), words.begin(), words.end());
  };
  add({"--nnodes", std::to_string(pool.nodes()), "--node-rank", "$(LWS_WORKER_INDEX)"});
  if (is_vllm) add({"--master-addr", "$(LWS_LEADER_ADDRESS)"});
  if (!is_vllm) add({"--dist-init-addr", "$(LWS_LEADER_ADDRESS):29500"});
  Tree tree = manifest(kinds, "LeaderWorkerSet", names.name, labels_of(names).branches);
  Tree pods = Tree::map();
  pods.set("size", Tree::number(pool.nodes()), "nodes of a replica");
  pods.set("restartPolicy", "RecreateGroupOnPodRestart");
  pods.set("leaderTemplate", pod(pool, names, leader(desk, pool, names)));
  if (is_vllm) names.engine.args.emplace_back("--headless");
  Tree worker = container({.name = "engine",
                           .image_remark = image_remark(desk.service()),
                           .command = names.engine.command,
                           .args = names.engine.args,
                           .resource = names.resource,
                           .gpus = pool.gpus_on_node(),
                           .machine = &pool.machine,
                           .nodes = pool.nodes()});
  add_variables(pool, worker);
  worker.set("volumeMounts", shared_memory_mount());
  PoolNames other = names;
  other.app += "-worker";
  pods.set("workerTemplate", pod(pool, other, std::move(worker)));
  Tree spec = Tree::map();
  if (!desk.service().scaler)
    spec.set("replicas", Tree::number(pool.replicas), replicas_from(desk, pool));
  spec.set("leaderWorkerTemplate", std::move(pods));
  Tree rollout = Tree::map();
  rollout.set("type", "RollingUpdate")
      .set("rollingUpdateConfiguration", rolling_update(desk, pool));
  spec.set("rolloutStrategy", std::move(rollout));
  return std::move(tree.set("spec", std::move(spec)));
}

Tree door(const Kinds& kinds, const PoolNames& names) {
  Tree tree = manifest(kinds, "Service", names.name, labels_of(names).branches);
  Tree port = Tree::map();
  port.set("name", "http").set("port", Tree::number(names.engine.port)).set("targetPort", "http");
  Tree spec = Tree::map();
  spec.set("selector", labels_of(names));
  spec.set("ports", Tree::list({std::move(port)}));
  return std::move(tree.set("spec", std::move(spec)));
}

Tree disruption(const Kinds& kinds, const PoolNames& names) {
  Tree tree = manifest(kinds, "PodDisruptionBudget", names.name, labels_of(names).branches);
  Tree spec = Tree::map();
  spec.set("maxUnavailable", Tree::number(1), "maintenance takes one replica at a time");
  spec.set("selector", Tree::map({{"matchLabels", labels_of(names), ""}}));
  return std::move(tree.set("spec", std::move(spec)));
}

// Requests of all replicas, running and waiting.
std::string requests_query(const ServicePlan& service) {
  return service.engine.starts_with("vllm")
             ? "sum(vllm:num_requests_running) + sum(vllm:num_requests_waiting)"
             : "sum(sglang:num_running_reqs) + sum(sglang:num_queue_reqs)";
}

// The simulator's scaler: so many requests per replica, seen so often.
Tree scaler(Desk& desk, const Kinds& kinds, const ReplicaPool& pool, const PoolNames& names) {
  const ScalerPlan& plan = *desk.service().scaler;
  const auto whole = [](Seconds time) {
    return Tree::number(std::max<std::int64_t>(1, std::llround(time.base())));
  };
  Tree tree = manifest(kinds, "ScaledObject", names.name, labels_of(names).branches);
  Tree spec = Tree::map();
  Tree target = Tree::map();
  const bool is_group = pool.nodes() > 1;
  target.set("apiVersion", kinds.api_version(is_group ? "LeaderWorkerSet" : "Deployment"));
  target.set("kind", is_group ? "LeaderWorkerSet" : "Deployment").set("name", names.name);
  spec.set("scaleTargetRef", std::move(target));
  spec.set("minReplicaCount", Tree::number(plan.least),
           desk.from("serve.deployment.scaling.least"));
  spec.set("maxReplicaCount", Tree::number(plan.most), desk.from("serve.deployment.scaling.most"));
  spec.set("pollingInterval", whole(plan.interval),
           desk.from("serve.deployment.scaling.interval", "the simulator's"));
  const std::string cooldown = desk.from("serve.deployment.scaling.cooldown", "the simulator's");
  if (plan.least == 0)
    spec.set("cooldownPeriod", whole(plan.cooldown), "before the last one goes; " + cooldown);
  // Above the first replica the autoscaler of Kubernetes decides, and keeps its own time.
  Tree down = Tree::map();
  down.set("stabilizationWindowSeconds", whole(plan.cooldown), cooldown);
  Tree behavior = Tree::map({{"scaleDown", std::move(down), ""}});
  Tree horizontal_config = Tree::map({{"behavior", std::move(behavior), ""}});
  spec.set("advanced",
           Tree::map({{"horizontalPodAutoscalerConfig", std::move(horizontal_config), ""}}));
  Tree metadata = Tree::map();
  metadata.set("serverAddress", "http://prometheus:9090", "your Prometheus");
  metadata.set("query", requests_query(desk.service()));
  metadata.set(
      "threshold", std::to_string(plan.target),
      "requests per replica; " + desk.from("serve.deployment.scaling.target", "the simulator's"));
  Tree trigger = Tree::map();
  trigger.set("type", "prometheus").set("metadata", std::move(metadata));
  trigger.set("useCachedMetrics", Tree::flag(true), "looked at every pollingInterval alone");
  spec.set("triggers", Tree::list({std::move(trigger)}));
  return std::move(tree.set("spec", std::move(spec)));
}

// The same for the autoscaler of Kubernetes itself, which looks at its own pace and takes the
// metric from an adapter.
Tree horizontal(Desk& desk, const Kinds& kinds, const ReplicaPool& pool, const PoolNames& names) {
  const ScalerPlan& plan = *desk.service().scaler;
  constexpr auto kPace = Seconds::from_base(15);
  if (plan.interval != kPace)
    desk.refuse("serve.deployment.scaling.interval", fmt::format("{} s", plan.interval.base()),
                "the autoscaler looks every 15 s: write `interval: 15 s`, or emit kubernetes");
  Tree target = Tree::map();
  const bool is_group = pool.nodes() > 1;
  target.set("apiVersion", kinds.api_version(is_group ? "LeaderWorkerSet" : "Deployment"));
  target.set("kind", is_group ? "LeaderWorkerSet" : "Deployment").set("name", names.name);
  Tree spec = Tree::map();
  spec.set("scaleTargetRef", std::move(target));
  spec.set("minReplicas", Tree::number(plan.least), desk.from("serve.deployment.scaling.least"));
  spec.set("maxReplicas", Tree::number(plan.most), desk.from("serve.deployment.scaling.most"));
  Tree metric = Tree::map();
  metric.set("name", "loadfactor_requests",
             "your metrics adapter must offer it: " + requests_query(desk.service()));
  Tree wanted = Tree::map();
  wanted.set("type", "AverageValue");
  wanted.set(
      "averageValue", std::to_string(plan.target),
      "requests per replica; " + desk.from("serve.deployment.scaling.target", "the simulator's"));
  Tree external = Tree::map();
  external.set("metric", std::move(metric)).set("target", std::move(wanted));
  Tree row = Tree::map();
  row.set("type", "External").set("external", std::move(external));
  spec.set("metrics", Tree::list({std::move(row)}));
  Tree down = Tree::map();
  down.set("stabilizationWindowSeconds",
           Tree::number(std::max<std::int64_t>(1, std::llround(plan.cooldown.base()))),
           desk.from("serve.deployment.scaling.cooldown", "the simulator's"));
  spec.set("behavior", Tree::map({{"scaleDown", std::move(down), ""}}));
  Tree tree = manifest(kinds, "HorizontalPodAutoscaler", names.name, labels_of(names).branches);
  return std::move(tree.set("spec", std::move(spec)));
}

using MakeScaler = Tree (*)(Desk&, const Kinds&, const ReplicaPool&, const PoolNames&);

void add_service(Desk& desk, MakeScaler make_scaler) {
  const ServicePlan& service = desk.service();
  const Kinds kinds = Kinds::read();
  if (service.engine.starts_with("vllm") && service.pools.size() > 1)
    return desk.refuse("serve.deployment.prefill", "a pool of its own",
                       "emit dynamo, or engine: sglang, joins pools of prompts and answers");
  if (service.scaler && service.scaler->is_band)
    return desk.refuse("serve.deployment.scaling.above", "a band",
                       "scalers there take one threshold: target");
  std::vector<Tree> documents;
  for (const ReplicaPool& pool : service.pools) {
    PoolNames names;
    names.name = plain_name(desk.plan().name) + (pool.name.empty() ? "" : "-" + pool.name);
    names.app = names.name;
    names.resource = gpu_resource(desk, pool.machine, "serve.deployment.gpu");
    names.engine = engine_command(desk, pool);
    documents.push_back(pool.nodes() > 1 ? group(desk, kinds, pool, names)
                                         : deployment(desk, kinds, pool, names));
    documents.push_back(door(kinds, names));
    if (pool.nodes() == 1) documents.push_back(disruption(kinds, names));
    if (service.scaler && &pool == &service.pools.back())
      documents.push_back(make_scaler(desk, kinds, pool, names));
  }
  add_manifests(desk, "service.yaml", file_head(desk.plan(), to_do(desk, "service.yaml")),
                documents);
}

}  // namespace

void emit_kubernetes_service(Desk& desk) {
  add_service(desk, scaler);
}

void emit_hpa(Desk& desk) {
  if (!desk.service().scaler)
    return desk.refuse("serve.deployment.scaling", "none", "nothing scales: emit kubernetes");
  add_service(desk, horizontal);
}

// KServe runs one container a replica and scales it itself.
void emit_kserve(Desk& desk) {
  const ServicePlan& service = desk.service();
  const ReplicaPool& pool = service.pools.back();
  if (service.pools.size() > 1)
    return desk.refuse("serve.deployment.prefill", "a pool of its own",
                       "emit dynamo or sglang joins pools");
  if (pool.nodes() > 1)
    return desk.refuse("serve.deployment.tp", std::to_string(pool.tp),
                       "a replica is one pod there: emit kubernetes");
  const Kinds kinds = Kinds::read();
  PoolNames names;
  names.name = plain_name(desk.plan().name);
  names.app = names.name;
  names.resource = gpu_resource(desk, pool.machine, "serve.deployment.gpu");
  names.engine = engine_command(desk, pool);
  names.port = "http1";  // Knative takes http1 and h2c alone.
  Tree engine = leader(desk, pool, names);
  engine.branches.front().value = Tree::text("kserve-container");
  Tree predictor = Tree::map();
  const bool scales = service.scaler.has_value();
  predictor.set("minReplicas", Tree::number(scales ? service.scaler->least : pool.replicas),
                replicas_from(desk, pool));
  predictor.set("maxReplicas", Tree::number(scales ? service.scaler->most : pool.replicas));
  if (scales) {
    predictor.set("scaleMetric", "concurrency");
    predictor.set("scaleTarget", Tree::number(service.scaler->target),
                  "requests per replica, the simulator's");
  }
  predictor.set("containers", Tree::list({std::move(engine)}));
  select_nodes(pool.machine, predictor);
  predictor.set("volumes", shared_memory_volume());
  Tree tree = manifest(kinds, "InferenceService", names.name);
  tree.set("spec", Tree::map({{"predictor", std::move(predictor), ""}}));
  add_manifests(desk, "kserve.yaml", file_head(desk.plan(), to_do(desk, "kserve.yaml")), {tree});
}

// Dynamo has a frontend, and pools of prompts and answers.
void emit_dynamo(Desk& desk) {
  const ServicePlan& service = desk.service();
  if (!service.engine.starts_with("vllm"))
    return desk.refuse("serve.deployment.engine", service.engine, "written for vllm workers alone");
  const Kinds kinds = Kinds::read();
  Tree components = Tree::list();
  Tree door_spec = Tree::map();
  Tree front = Tree::map();
  front.set("name", "main").set("image", "IMAGE", "your image of Dynamo");
  front.set("command", Tree::texts({"python3", "-m", "dynamo.frontend"}));
  door_spec.set("containers", Tree::list({std::move(front)}));
  Tree frontend = Tree::map();
  frontend.set("name", "Frontend").set("type", "frontend").set("replicas", Tree::number(1));
  frontend.set("podTemplate", Tree::map({{"spec", std::move(door_spec), ""}}));
  components.items.push_back(std::move(frontend));
  for (const ReplicaPool& pool : service.pools) {
    desk.refuse_degree("serve.deployment.pp", pool.nodes() > 1 ? pool.nodes() : 1,
                       "a replica is one pod here");
    Arguments arguments = vllm_arguments(desk, pool);
    std::vector<std::string> words{"--model", service.model.checkpoint()};
    const auto more = arguments.words();
    words.insert(words.end(), more.begin(), more.end());
    if (!pool.name.empty()) words.insert(words.end(), {"--disaggregation-mode", pool.name});
    Tree engine = container({.name = "main",
                             .image_remark = "your image of Dynamo with vllm",
                             .command = {"python3", "-m", "dynamo.vllm"},
                             .args = words,
                             .resource = gpu_resource(desk, pool.machine, "serve.deployment.gpu"),
                             .gpus = pool.gpus_on_node()});
    Tree spec = Tree::map();
    spec.set("containers", Tree::list({std::move(engine)}));
    select_nodes(pool.machine, spec);
    Tree component = Tree::map();
    const std::string type = pool.name.empty() ? "worker" : pool.name;
    component.set("name", pool.name.empty()        ? "Worker"
                          : pool.name == "prefill" ? "Prefill"
                                                   : "Decode");
    component.set("type", type);
    component.set("replicas", Tree::number(pool.replicas), replicas_from(desk, pool));
    component.set("podTemplate", Tree::map({{"spec", std::move(spec), ""}}));
    components.items.push_back(std::move(component));
  }
  Tree tree = manifest(kinds, "DynamoGraphDeployment", plain_name(desk.plan().name));
  tree.set("spec", Tree::map({{"components", std::move(components), ""}}));
  add_manifests(desk, "dynamo.yaml", file_head(desk.plan(), to_do(desk, "dynamo.yaml")), {tree});
}

}  // namespace loadfactor::launch

// What a series is about, by its labels: a GPU, a replica of a service, somebody that holds GPUs.
#include <algorithm>
#include <array>
#include <charconv>
#include <string>

#include "observe/cluster.h"
#include "observe/cluster_labels.h"

namespace loadfactor::observe {
namespace {

constexpr std::array<std::string_view, 3> kUuidLabels{"UUID", "uuid", "gpu_uuid"};
constexpr std::array<std::string_view, 5> kNodeLabels{"Hostname", "hostname", "node",
                                                      "kubernetes_node", "host"};
constexpr std::array<std::string_view, 4> kIndexLabels{"gpu", "gpu_id", "minor_number", "index"};
constexpr std::array<std::string_view, 3> kModelLabels{"modelName", "card_series", "card_model"};
constexpr std::array<std::string_view, 2> kServedLabels{"model_name", "model"};
constexpr std::array<std::string_view, 4> kJobLabels{"hpc_job", "job_id", "slurm_job_id",
                                                     "slurmjobid"};
constexpr std::array<std::string_view, 2> kPodLabels{"exported_pod", "pod"};
constexpr std::array<std::string_view, 2> kSpaceLabels{"exported_namespace", "namespace"};
// Labels that say by whom a series was scraped, and not what it is about.
constexpr std::array<std::string_view, 14> kScrapeLabels{
    "instance",           "job",       "endpoint", "service", "container",
    "prometheus",         "pod",       "replica",  "node",    "cluster",
    "prometheus_replica", "namespace", "__name__", "monitor"};
// Ranks among which one copy of a model is split: each of them tells the same.
constexpr std::array<std::string_view, 3> kRankLabels{"tp_rank", "pp_rank", "moe_ep_rank"};
// Copies of a model that one process answers for.
constexpr std::array<std::string_view, 2> kCopyLabels{"engine", "dp_rank"};

template <std::size_t n>
bool is_among(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// An exporter's own pod holds no GPU.
bool is_exporter(std::string_view pod) {
  return pod.find("dcgm") != std::string_view::npos ||
         pod.find("metrics-exporter") != std::string_view::npos;
}

std::string without_port(std::string_view instance) {
  return std::string(instance.substr(0, instance.rfind(':')));
}

std::string node_of(const Labels& labels) {
  const std::string node(find_label(labels, kNodeLabels));
  return node.empty() ? without_port(find_label(labels, "instance")) : node;
}

int number_of(std::string_view text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// How AMD cuts a card: `spx` leaves it whole, `cpx` makes a part of each of its dies, however many
// there are.
struct CardPart {
  std::string name;  // Empty: it is whole.
  std::string whole;
  double weight = 0;  // 0: as many equal parts as are seen.
};
CardPart card_part(const Labels& labels, std::string_view node, std::string_view index) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kKinds{
      {{"dpx", 1.0 / 2}, {"tpx", 1.0 / 3}, {"qpx", 1.0 / 4}, {"cpx", 0}}};
  std::string kind(find_label(labels, "gpu_compute_partition_type"));
  std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  for (const auto& [name, weight] : kKinds) {
    if (kind != name) continue;
    const std::string_view id = find_label(labels, "gpu_partition_id");
    std::string whole(find_label(labels, "serial_number"));
    // The parts of a card are numbered one after the other.
    if (whole.empty())
      whole = std::string(node) + "/card " + std::to_string(number_of(index, 0) - number_of(id, 0));
    return {kind + std::string(id), whole, weight};
  }
  return {};
}

}  // namespace

std::string scoped(std::string_view cluster, std::string_view name) {
  if (cluster.empty()) return std::string(name);
  return std::string(cluster) + "\x1d" + std::string(name);
}

std::string part_of(const Labels& labels) {
  std::string key;
  for (const Label& label : labels)
    if (!is_among(kScrapeLabels, label.name) && !is_among(kRankLabels, label.name))
      key += label.name + "=" + label.value + "\x1f";
  return key;
}

bool is_of_another_clock(const Signal& signal, const Labels& labels) {
  if (signal.role != Role::kClock) return false;
  const std::string_view kind = find_label(labels, "clock_type");
  return !kind.empty() && kind.find("SYSTEM") == std::string_view::npos &&
         kind.find("system") == std::string_view::npos;
}

int Cluster::find_gpu(const Labels& labels) {
  const std::string node = node_of(labels);
  const std::string instance(find_label(labels, "instance"));
  const std::string index(find_label(labels, kIndexLabels));
  const std::string cluster(find_label(labels, "cluster"));
  std::string key(find_label(labels, kUuidLabels));
  // Time slices of one GPU are numbered behind its name.
  if (const auto slice = key.find("::"); slice != std::string::npos) key.resize(slice);
  const bool has_uuid = !key.empty();
  if (key.empty() && (!node.empty() || !index.empty())) key = scoped(cluster, node + "/" + index);
  if (key.empty()) return -1;
  std::string part(find_label(labels, "GPU_I_ID"));
  const CardPart card = card_part(labels, scoped(cluster, node), index);
  const std::string whole = card.name.empty() ? key : card.whole;
  if (!card.name.empty()) part = card.name;
  if (!part.empty()) key += "/" + part;
  clusters_.insert(cluster);
  if (const auto known = gpu_by_key_.find(key); known != gpu_by_key_.end()) {
    gpus_[static_cast<std::size_t>(known->second)].instances.insert(instance);
    return known->second;
  }
  if (!has_room()) return -1;
  const auto found = gpu_by_key_.emplace(key, static_cast<int>(gpus_.size())).first;
  GpuTrack gpu;
  gpu.key = key;
  gpu.has_uuid = has_uuid;
  gpu.cluster = cluster;
  gpu.node = node;
  gpu.index = index;
  gpu.instances.insert(instance);
  gpu.model = find_label(labels, kModelLabels);
  if (!part.empty()) {
    gpu.weight =
        card.name.empty() ? instance_kind(find_label(labels, "GPU_I_PROFILE")).weight : card.weight;
    gpu.is_equal_part = !card.name.empty();
    gpu.cut_from = whole;
  }
  gpus_.push_back(std::move(gpu));
  return found->second;
}

// Labels may name another cluster or host from one sample to the next: of an exporter that was
// started anew, or of a cluster that was renamed.
int Cluster::place_of(GpuTrack& gpu, const Labels& labels) {
  const auto cluster = find_label(labels, "cluster");
  const std::string node = node_of(labels);
  for (std::size_t i = 0; i < gpu.places.size(); ++i)
    if (gpu.places[i].cluster == cluster && gpu.places[i].node == node) return static_cast<int>(i);
  gpu.places.push_back({.cluster = std::string(cluster), .node = node});
  return static_cast<int>(gpu.places.size()) - 1;
}

int Cluster::find_replica(const Signal& signal, const Labels& labels) {
  const std::string cluster(find_label(labels, "cluster"));
  const std::string pod(find_label(labels, kPodLabels));
  const std::string team(find_label(labels, kSpaceLabels));
  const std::string instance(find_label(labels, "instance"));
  const std::string model(find_label(labels, kServedLabels));
  const std::string process =
      scoped(cluster, pod.empty() ? instance + "|" + model : team + "/" + pod);
  const std::string_view copy = find_label(labels, kCopyLabels);
  const std::string key = copy.empty() ? process : process + "\x1c" + std::string(copy);
  if (!replica_by_key_.contains(key) && !has_room()) return -1;
  const auto [found, is_new] = replica_by_key_.emplace(key, static_cast<int>(replicas_.size()));
  if (is_new) {
    ReplicaTrack replica;
    replica.key = key;
    replica.process = process;
    replica.copy = copy;
    replica.cluster = cluster;
    replica.team = team;
    replica.pod = pod;
    replica.instance = instance;
    replica.engine = signal.program;
    clusters_.insert(cluster);
    replicas_.push_back(std::move(replica));
  }
  ReplicaTrack& replica = replicas_[static_cast<std::size_t>(found->second)];
  if (!model.empty()) replica.model = model;
  replica.has_requests = replica.has_requests || signal.role == Role::kRequests;
  replica.has_requests_else = replica.has_requests_else || signal.role == Role::kRequestsElse;
  const std::string_view rank = find_label(labels, "tp_rank");
  replica.has_first_rank = replica.has_first_rank || rank.empty() || rank == "0";
  return found->second;
}

OwnerIndex Cluster::find_owner(const Labels& labels) {
  const auto cluster = find_label(labels, "cluster");
  const auto job = find_label(labels, kJobLabels);
  if (!job.empty()) return owner_of_key(cluster, std::string(kJobKey) + std::string(job), {}, {});
  const auto pod = find_label(labels, kPodLabels);
  if (pod.empty() || is_exporter(pod)) return kNoOwner;
  const auto team = find_label(labels, kSpaceLabels);
  return owner_of_key(cluster, std::string(team) + "/" + std::string(pod), team, pod);
}

OwnerIndex Cluster::owner_of_key(std::string_view cluster, const std::string& name,
                                 std::string_view team, std::string_view pod) {
  knows_owners_ = true;
  const std::string key = scoped(cluster, name);
  const auto found = owner_by_key_.find(key);
  if (found != owner_by_key_.end()) return found->second;
  const auto index = static_cast<OwnerIndex>(owners_.size());
  Owner owner;
  owner.key = name;
  owner.is_job = name.starts_with(kJobKey);
  owner.cluster = cluster;
  owner.team = team;
  owner.pod = pod;
  owners_.push_back(std::move(owner));
  owner_by_key_.emplace(key, index);
  return index;
}

// What kube-state-metrics and targets tell; false where nobody wants it.
bool Cluster::find_fact(const Signal& signal, const Labels& labels, SeriesState& state) {
  const auto cluster = find_label(labels, "cluster");
  state.pod = scoped(cluster, std::string(find_label(labels, kSpaceLabels)) + "/" +
                                  std::string(find_label(labels, kPodLabels)));
  PodFacts& pod = pods_[state.pod];
  if (signal.role == Role::kPodInfo) pod.controller = find_label(labels, "created_by_name");
  if (signal.role == Role::kPodLabels) pod.team = find_label(labels, "label_team");
  if (signal.role == Role::kPodPhase && find_label(labels, "phase") != "Failed") return false;
  if (signal.role == Role::kUp) state.pod = scoped(cluster, find_label(labels, "instance"));
  if (signal.role == Role::kNodeInfo) state.pod = scoped(cluster, find_label(labels, "node"));
  return true;
}

std::vector<float>* Cluster::gauge_of(Role role, int replica, const Labels& labels) {
  std::string rank;
  for (const Label& label : labels)
    if (is_among(kRankLabels, label.name)) rank += label.value + "\x1f";
  auto& part = parts_[{replica, role}][{part_of(labels), rank}];
  if (part.empty()) part.assign(static_cast<std::size_t>(grid_.slots()), -1.0F);
  return &part;
}

}  // namespace loadfactor::observe

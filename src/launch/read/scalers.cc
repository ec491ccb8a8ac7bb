// How replicas come and go, as scalers of Kubernetes say it: bounds, a target, and a pace.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "launch/findings/nodes.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

using config::Node;

constexpr const char* kLeast = "serve.deployment.scaling.least";
constexpr const char* kMostReplicas = "serve.deployment.scaling.most";
constexpr const char* kTarget = "serve.deployment.scaling.target";
constexpr const char* kInterval = "serve.deployment.scaling.interval";
constexpr const char* kCooldown = "serve.deployment.scaling.cooldown";

class ScalerReader {
 public:
  ScalerReader(const Source& source, Findings& findings) : source_(source), findings_(findings) {}

  // Whether a field is there, and a whole number.
  bool count(const Node* node, std::string_view key, std::string_view unit = "") {
    if (node == nullptr || !whole_number(node->scalar)) return false;
    findings_.set(key, node->scalar + std::string(unit), place(source_, node));
    return true;
  }
  // What a scaler aims at is requests per replica, or nothing that a scenario can say.
  void target(const Node* value, const std::string& metric, const Node* said) {
    if (value == nullptr) return;
    if (counts_running(metric) && count(value, kTarget)) return;
    findings_.remark(
        fmt::format("replicas are scaled by '{}': a scenario scales by the requests that run and "
                    "wait, so that {} is no target of it",
                    metric.substr(0, 80), value->scalar),
        place(source_, said == nullptr ? value : said));
  }
  void remark(const Node* node, std::string_view name, std::string_view why) {
    if (node != nullptr) findings_.remark(fmt::format("{}: {}", name, why), place(source_, node));
  }
  // How fast the autoscaler of Kubernetes may go; how soon it goes down is a key.
  void behavior(const Node* behavior) {
    if (behavior == nullptr) {
      findings_.guess(kCooldown, "300 s", "the autoscaler's default");
      return;
    }
    const bool is_said =
        count(at(*behavior, "scaleDown.stabilizationWindowSeconds"), kCooldown, " s");
    if (!is_said) findings_.guess(kCooldown, "300 s", "the autoscaler's default");
    constexpr std::string_view kNone = "a scenario has no word for it";
    remark(at(*behavior, "scaleDown.policies"), "scaleDown.policies", kNone);
    remark(at(*behavior, "scaleUp.policies"), "scaleUp.policies", kNone);
    const Node* wait = at(*behavior, "scaleUp.stabilizationWindowSeconds");
    if (wait != nullptr && wait->scalar != "0")
      remark(wait, "scaleUp.stabilizationWindowSeconds", kNone);
  }
  // Only the first of several metrics is read.
  const Node* first_of(const Node* list, std::string_view name) {
    if (list == nullptr || list->items.empty()) return nullptr;
    if (list->items.size() > 1)
      remark(&list->items[1], name, "replicas are scaled by several, and the first is read");
    return &list->items.front();
  }
  const Source& source() const { return source_; }
  Findings& findings() { return findings_; }

 private:
  const Source& source_;
  Findings& findings_;
};

// A metric of the autoscaler, or of KServe's, by its kind.
void read_metric(const Node& metric, ScalerReader& reader) {
  for (const std::string kind : {"external", "pods", "podmetric", "object", "resource"}) {
    for (const char* field :
         {".target.averageValue", ".target.value", ".target.averageUtilization"}) {
      const Node* value = at(metric, kind + field);
      if (value == nullptr) continue;
      std::string name = kind == "resource" ? "resource.name" : kind + ".metric.name";
      if (at(metric, name) == nullptr) name = kind + ".metric.query";
      reader.target(value, words(metric, name), at(metric, name));
      break;
    }
  }
}

}  // namespace

void read_keda_scaler(const Source& source, const Node& spec, Findings& findings) {
  ScalerReader reader(source, findings);
  if (!reader.count(member(spec, "minReplicaCount"), kLeast))
    findings.guess(kLeast, "0", "KEDA's default");
  if (!reader.count(member(spec, "maxReplicaCount"), kMostReplicas))
    findings.guess(kMostReplicas, "100", "KEDA's default");
  if (!reader.count(member(spec, "pollingInterval"), kInterval, " s"))
    findings.guess(kInterval, "30 s", "KEDA's default");
  reader.remark(member(spec, "idleReplicaCount"), "idleReplicaCount",
                "a scenario goes down to the least alone");
  reader.remark(member(spec, "fallback"), "fallback", "a scenario has metrics at all times");
  const Node* behavior = at(spec, "advanced.horizontalPodAutoscalerConfig.behavior");
  const bool has_window =
      behavior != nullptr && at(*behavior, "scaleDown.stabilizationWindowSeconds") != nullptr;
  if (!has_window) reader.count(member(spec, "cooldownPeriod"), kCooldown, " s");
  reader.behavior(behavior);
  const Node* first = reader.first_of(member(spec, "triggers"), "triggers");
  if (first == nullptr) return;
  const std::string query = words(*first, "metadata.query");
  for (const char* field : {"metadata.threshold", "metadata.value"})
    reader.target(at(*first, field), query.empty() ? words(*first, "type") : query,
                  at(*first, "metadata.query"));
}

// How often it looks, the cluster decides.
void read_horizontal_scaler(const Source& source, const Node& root, Findings& findings) {
  ScalerReader reader(source, findings);
  if (!reader.count(at(root, "spec.minReplicas"), kLeast))
    findings.guess(kLeast, "1", "the autoscaler's default");
  reader.count(at(root, "spec.maxReplicas"), kMostReplicas);
  reader.behavior(at(root, "spec.behavior"));
  findings.guess(kInterval, "15 s", "the autoscaler's usual pace");
  if (const Node* first = reader.first_of(at(root, "spec.metrics"), "metrics"))
    read_metric(*first, reader);
  if (const Node* share = at(root, "spec.targetCPUUtilizationPercentage"))
    reader.target(share, "cpu", share);
}

const Node* read_predictor_scaler(const Source& source, const Node& predictor, Findings& findings) {
  ScalerReader reader(source, findings);
  const Node* least = member(predictor, "minReplicas");
  const Node* most = member(predictor, "maxReplicas");
  reader.remark(
      member(predictor, "containerConcurrency"), "containerConcurrency",
      "requests above it wait before the replica, not in it: max_waiting bounds those in it");
  const bool is_fixed = most == nullptr || (least != nullptr && most->scalar == least->scalar);
  if (is_fixed) {
    if (least != nullptr && most == nullptr)
      reader.remark(member(predictor, "scaleTarget"), "scaleTarget",
                    "without maxReplicas no bound of the scaling is known");
    return least;
  }
  if (!reader.count(least, kLeast)) findings.guess(kLeast, "1", "KServe's default");
  reader.count(most, kMostReplicas);
  const std::string metric = words(predictor, "scaleMetric");
  const Node* target = member(predictor, "scaleTarget");
  if (metric.empty() || metric == "concurrency")
    reader.count(target, kTarget);
  else
    reader.target(target, metric, member(predictor, "scaleMetric"));
  if (target == nullptr && !metric.empty() && metric != "concurrency")
    reader.remark(member(predictor, "scaleMetric"), "scaleMetric " + metric,
                  "a scenario scales by the requests that run and wait");
  if (const Node* first = reader.first_of(at(predictor, "autoScaling.metrics"), "autoScaling"))
    read_metric(*first, reader);
  return nullptr;
}

void read_knative_scaler(const Source& source, const Node& annotations, Findings& findings) {
  ScalerReader reader(source, findings);
  constexpr std::string_view kPrefix = "autoscaling.knative.dev/";
  std::string metric;
  for (const auto& each : annotations.members)
    if (each.key == "autoscaling.knative.dev/metric") metric = each.value.scalar;
  for (const auto& each : annotations.members) {
    if (!each.key.starts_with(kPrefix)) continue;
    const std::string name = each.key.substr(kPrefix.size());
    if (name == "min-scale" || name == "minScale") {
      reader.count(&each.value, kLeast);
    } else if (name == "max-scale" || name == "maxScale") {
      reader.count(&each.value, kMostReplicas);
    } else if (name == "target" && (metric.empty() || metric == "concurrency")) {
      reader.count(&each.value, kTarget);
    } else if (name == "target") {
      reader.target(&each.value, metric, nullptr);
    } else if (name != "class" && name != "metric") {
      reader.remark(&each.value, each.key, "a scenario has no word for it");
    }
  }
}

}  // namespace loadfactor::launch

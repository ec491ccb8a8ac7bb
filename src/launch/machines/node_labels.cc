// The GPU that a pod asks for by the labels of nodes.
#include "launch/findings/nodes.h"
#include "launch/findings/own_keys.h"
#include "launch/machines/machines.h"
#include "launch/vocabulary/public_names.h"

namespace loadfactor::launch {
namespace {

using config::Node;

// Labels of nodes that the cloud may take back.
bool is_spot(std::string_view key, std::string_view value) {
  if (key == "cloud.google.com/gke-spot") return value == "true";
  if (key == "eks.amazonaws.com/capacityType") return value == "SPOT";
  return (key == "karpenter.sh/capacity-type" || key == "kubernetes.azure.com/scalesetpriority") &&
         value == "spot";
}

// A label that the vendor's plugin, or the cloud, puts on nodes with a GPU.
void read_label(const Source& source, const std::string& key, const Node& value,
                Findings& findings) {
  if (is_spot(key, value.scalar)) findings.set(kSpot, "yes", place(source, &value));
  const std::string chip = chip_of_label(key, value.scalar);
  const bool names_gpu =
      key == "nvidia.com/gpu.product" || key == "cloud.google.com/gke-accelerator";
  if (!chip.empty() || names_gpu)
    findings.set("hardware", chip.empty() ? value.scalar : chip, place(source, &value));
}

}  // namespace

void read_node_labels(const Source& source, const Node& pod, Findings& findings) {
  if (const Node* labels = member(pod, "nodeSelector"))
    for (const auto& each : labels->members) read_label(source, each.key, each.value, findings);
  const Node* terms = at(pod,
                         "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                         "nodeSelectorTerms");
  // Charts have them alone.
  if (terms == nullptr) terms = member(pod, "nodeSelectorTerms");
  // Terms are alternatives, and so are the values of one: only one of one is sure.
  if (terms == nullptr || terms->items.size() != 1) return;
  const Node* tests = member(terms->items.front(), "matchExpressions");
  if (tests == nullptr) return;
  for (const Node& test : tests->items) {
    const Node* values = member(test, "values");
    if (words(test, "operator") == "In" && values != nullptr && values->items.size() == 1)
      read_label(source, words(test, "key"), values->items.front(), findings);
  }
}

}  // namespace loadfactor::launch

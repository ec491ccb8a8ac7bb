// What the host of a node must have: cores, memory, drives for checkpoints, data, NICs.
#include <cmath>

#include "engine/cost/cost_answer.h"
#include "facility/host.h"
#include "resolve/model/model_shape.h"
#include "workload/parameters.h"

namespace loadfactor::engine {
namespace {

// Parameters of a model that is named, sized or described; nothing where it is a file of its own.
std::optional<double> parameters_of(const CostSetup& setup, const config::ModelSection& ask) {
  if (const auto* named = std::get_if<config::CatalogModel>(&ask.model)) {
    const auto found = setup.catalog->find_model(named->name.value);
    if (!found) return std::nullopt;
    return static_cast<double>(workload::count_parameters(**found).total());
  }
  if (const auto* size = std::get_if<config::ModelSize>(&ask.model)) return size->params.value;
  if (const auto* shape = std::get_if<config::ModelDimensions>(&ask.model))
    return static_cast<double>(workload::count_parameters(model_of_dimensions(*shape)).total());
  return std::nullopt;
}

// A checkpoint as stated, else the state of the model that is trained.
std::optional<Bytes> checkpoint_of(CostSetup& setup) {
  if (setup.scenario.facility && setup.scenario.facility->host.checkpoint)
    return setup.scenario.facility->host.checkpoint->value;
  if (!setup.scenario.train) return std::nullopt;
  const auto parameters = parameters_of(setup, setup.scenario.train->model);
  if (!parameters) return std::nullopt;
  return Bytes::from_base(*parameters * setup.fact("checkpoint_state", "mixed-precision-adam"));
}

void ask_for_checkpoint(CostSetup& setup, Bytes checkpoint, facility::HostQuestion& ask) {
  ask.checkpoint = checkpoint;
  ask.checkpoint_within = Seconds::from_base(setup.fact("checkpoint_within", "write"));
  ask.checkpoints_kept = setup.fact("checkpoints_kept", "on-drives");
  ask.drive = BytesPerSecond::from_base(1e9 * setup.fact("drive_write", "nvme-data-centre"));
  if (!setup.scenario.facility) return;
  const config::HostSection& given = setup.scenario.facility->host;
  if (given.checkpoint_within) ask.checkpoint_within = given.checkpoint_within->value;
  if (given.checkpoints_kept)
    ask.checkpoints_kept = static_cast<double>(given.checkpoints_kept->value);
}

// Training data that one node reads, where a run trains tokens.
void ask_for_data(CostSetup& setup, std::int64_t nodes, facility::HostQuestion& ask) {
  const auto& capacity = setup.terms.capacity;
  if (!setup.scenario.train || capacity.full_plane <= TokensPerSecond()) return;
  const auto& facility = setup.scenario.facility;
  ask.tokens = capacity.full_plane / static_cast<double>(nodes);
  ask.per_token = facility && facility->host.bytes_per_token
                      ? facility->host.bytes_per_token->value
                      : Bytes::from_base(setup.fact("token_size", "stored"));
}

std::optional<HostShortfall> shortfall_of(const CostSetup& setup, const HostAnswer& host) {
  if (setup.node == nullptr || !setup.node->host) return std::nullopt;
  const auto& has = *setup.node->host;
  HostShortfall lacks{.node = setup.node->name};
  if (has.cores > 0 && has.cores < host.cores) lacks.cores = has.cores;
  if (has.memory > Bytes() && has.memory < host.memory) lacks.memory = has.memory;
  if (host.nvme && has.nvme > Bytes() && has.nvme < *host.nvme) lacks.nvme = has.nvme;
  return lacks.cores || lacks.memory || lacks.nvme ? std::optional(lacks) : std::nullopt;
}

facility::HostRules rules_of(CostSetup& setup) {
  facility::HostRules rules;
  rules.cores_per_gpu = static_cast<int>(setup.fact("host_cores", "per-gpu"));
  rules.memory_over_gpus = setup.fact("host_memory", "over-gpu-memory");
  rules.memory_over_weights = setup.fact("host_memory", "over-weights");
  const bool known = setup.node != nullptr && setup.node->network;
  const double between = known ? setup.node->network->nics : setup.fact("node_size", "usual");
  rules.nics = static_cast<int>(between + setup.fact("storage_nics", "per-node"));
  return rules;
}

}  // namespace

HostAnswer host_of(CostSetup& setup, std::int64_t nodes) {
  facility::HostQuestion ask;
  ask.gpus = setup.node != nullptr && setup.node->gpus > 0
                 ? setup.node->gpus
                 : static_cast<int>(setup.fact("node_size", "usual"));
  ask.gpu_memory = setup.chip->memory.nominal;
  ask.nodes = static_cast<double>(std::max<std::int64_t>(1, nodes));
  if (setup.scenario.serve) {
    // A replica must find its weights in one host; two bytes each at most.
    if (const auto parameters = parameters_of(setup, setup.scenario.serve->model))
      ask.parameters = Bytes::from_base(2.0 * *parameters) * ask.nodes;
  }
  const auto checkpoint = checkpoint_of(setup);
  if (checkpoint) ask_for_checkpoint(setup, *checkpoint, ask);
  ask_for_data(setup, nodes, ask);
  const auto size = facility::size_host(ask, rules_of(setup));
  HostAnswer host;
  host.cores = size.cores;
  host.memory = size.memory;
  host.nics = size.nics;
  if (checkpoint) {
    host.checkpoint = *checkpoint;
    host.nvme = size.nvme;
    host.drives = size.drives;
    host.checkpoint_bandwidth = size.checkpoint_bandwidth;
    host.checkpoint_within = ask.checkpoint_within;
  }
  if (ask.tokens > TokensPerSecond()) host.loading = size.loading;
  host.shortfall = shortfall_of(setup, host);
  return host;
}

}  // namespace loadfactor::engine

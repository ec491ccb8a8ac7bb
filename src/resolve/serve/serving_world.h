// A service to be sized: its model, its demand, its promises, and what any replica of it can do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/simulate_setup.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

// What every serving prediction rests on, read once for many questions. One thread at a time.
struct ServingModels {
  serving::ServingCalibration calibration;
  std::shared_ptr<serving::HardwareShelf> hardware;
};
// Nothing, and the reasons, where a file of a user's is wrong.
std::shared_ptr<ServingModels> read_serving_models(const catalog::Catalog& catalog,
                                                   Diagnostics& diagnostics);

struct ServingQuestion {
  config::Scenario scenario;
  std::vector<ModelFile> model_files;
  std::string_view trace_bytes;  // Of the file that `demand: {trace: …}` names.
  std::uint64_t seed = 1;
  std::string today;  // YYYY-MM-DD; ages of prices are not known without it.
  std::shared_ptr<ServingModels> models = nullptr;  // Where they are read already.
};

// Everything but the deployment. Reuses the setup of the simulator for names and constants.
class ServingWorld {
 public:
  // Nothing, and the reasons, where the scenario has errors.
  static std::unique_ptr<ServingWorld> create(const ServingQuestion& question,
                                              const catalog::Catalog& catalog,
                                              Diagnostics& diagnostics);

  SimulateSetup& setup() { return *setup_; }
  const SimulateSetup& setup() const { return *setup_; }
  const FleetDemand& demand() const { return demand_; }
  const serving::ServiceAsk& ask() const { return ask_; }
  serving::HardwareShelf& hardware() { return *setup_->hardware; }
  const serving::Constants& constants() const { return setup_->constants; }
  std::uint64_t seed() const { return seed_; }
  // The quantile that the strictest bound names; 1 without an SLO.
  double slo_quantile() const;

  // A choice of replica with names resolved; `precision` empty: as the scenario has it.
  Result<serving::ReplicaChoice> choice(const catalog::AcceleratorSpec& chip,
                                        const std::string& precision,
                                        const serving::ServingLayout& layout) const;
  Result<serving::ReplicaPlan> plan(const serving::ReplicaChoice& choice);
  serving::CapacityFigures capacity(const serving::ReplicaPlan& plan) const;
  serving::CapacityFigures capacity(const serving::ReplicaPlan& plan,
                                    const serving::ServiceAsk& ask) const;

  // The replica the scenario's deployment means; what it leaves blank is the least that fits.
  Result<serving::ReplicaPlan> asked_replica();
  // The replica of prompts, where the deployment has them apart.
  Result<serving::ReplicaPlan> asked_prompts();

 private:
  ServingWorld() = default;
  Result<serving::ReplicaPlan> planned_pool(const config::Pool& pool);
  bool read_demand(const ServingQuestion& question, Diagnostics& diagnostics);

  std::unique_ptr<SimulateSetup> setup_;
  FleetDemand demand_;
  serving::ServiceAsk ask_;
  std::uint64_t seed_ = 1;
};

}  // namespace loadfactor::engine

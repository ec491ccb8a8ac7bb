// A service to be sized: its model, its demand, its promises, and what any replica of it can do.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/demand/fleet_demand.h"
#include "resolve/serve/service.h"
#include "serving/replica_plan.h"

namespace loadfactor::engine {

struct ServingInputs {
  config::Scenario scenario;
  std::vector<ModelFile> model_files;
  std::string_view trace_bytes;  // The file that `demand: {trace: …}` names.
  std::uint64_t seed = 1;
  std::string today;  // YYYY-MM-DD; ages of prices are not known without it.
  std::shared_ptr<ServingModels> models = nullptr;  // Where they are read already.
  const std::atomic<bool>* stop = nullptr;          // Set from outside: whatever is under way ends.

  std::function<void(double share)> progress;  // Called now and then, from one thread.

  bool is_stopped() const { return stop != nullptr && stop->load(); }
};

// A resolved service and its demand; which deployment serves it is asked here.
class ServingWorld {
 public:
  // Nothing, and the reasons, where the scenario has errors.
  static std::unique_ptr<ServingWorld> create(const ServingInputs& question,
                                              const catalog::Catalog& catalog,
                                              Diagnostics& diagnostics);

  Service& service() { return *service_; }
  const Service& service() const { return *service_; }
  const FleetDemand& demand() const { return demand_; }
  const serving::ServicePromise& ask() const { return ask_; }
  serving::HardwareShelf& hardware() { return service_->hardware(); }
  const serving::Constants& constants(const catalog::AcceleratorSpec& chip) const {
    return service_->constants_on(chip);
  }
  std::uint64_t seed() const { return seed_; }
  // The quantile that the strictest bound names; 1 without an SLO.
  double slo_quantile() const;

  // The chips to choose from: the one asked for, the one the deployment names, or all candidates.
  std::vector<const catalog::AcceleratorSpec*> candidates(const std::string& gpu,
                                                          Diagnostics& diagnostics) const;
  // A replica of answers in a layout; `precision` empty: as the service has it.
  Result<serving::ReplicaChoice> choice(const catalog::AcceleratorSpec& chip,
                                        const std::string& precision,
                                        const serving::ServingLayout& layout) const;
  Result<serving::ReplicaPlan> plan(const serving::ReplicaChoice& choice);
  serving::CapacityFigures capacity(const serving::ReplicaPlan& plan) const;
  serving::CapacityFigures capacity(const serving::ReplicaPlan& plan,
                                    const serving::ServicePromise& ask) const;

  // A replica of the deployment on a chip; what it leaves blank is the least that keeps the SLO.
  Result<serving::ReplicaPlan> replica(Side side, const catalog::AcceleratorSpec& chip);

 private:
  ServingWorld() = default;
  bool read_demand(const ServingInputs& question, Diagnostics& diagnostics);

  std::unique_ptr<Service> service_;
  FleetDemand demand_;
  serving::ServicePromise ask_;
  std::uint64_t seed_ = 1;
};

}  // namespace loadfactor::engine

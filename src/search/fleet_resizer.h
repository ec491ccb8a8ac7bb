// The fleets that a multiple of a demand would need, without simulating it: every candidate keeps
// the rate per replica that the sizing of the demand itself left it with.
#pragma once

#include <memory>
#include <vector>

#include "search/serving_sizing.h"

namespace loadfactor::search {

struct ResizedFleet {
  const SizedDeployment* candidate = nullptr;
  int replicas = 0;         // Spares included, as in `prompt_replicas`.
  int prompt_replicas = 0;  // Where prompts are apart.
  int gpus = 0;
  ReplicasOn on;  // How many replicas, where they come and go with the demand; else empty.
  bool has_price = false;
  double cost_per_hour = 0;  // USD, always busy; GPUs where no price is known.
};

class FleetResizer {
 public:
  // The problem has its trial weeks.
  FleetResizer(SizingProblem problem, std::vector<SizedDeployment> candidates);

  // The cheapest fleet of every accelerator for `scale` times the demand, the cheapest first; those
  // of more GPUs than may be had are left out.
  std::vector<ResizedFleet> at(double scale) const;

 private:
  struct Candidate {
    SizedDeployment sized;
    // Multiples of the demand at which the trial weeks ask for its replicas.
    double harder = 1;
    double harder_prompts = 1;
  };

  ResizedFleet resized(const Candidate& candidate, double scale) const;

  SizingProblem problem_;
  std::vector<Candidate> candidates_;
};

}  // namespace loadfactor::search

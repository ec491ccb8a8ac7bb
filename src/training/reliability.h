// What failures, checkpoints, restarts and spares leave of the paid time.
//
// Independent causes with constant rates add up to the rate at which a job stops. Each stop costs
// the work since the last checkpoint, the time until somebody notices, and the restart; each
// checkpoint costs its stall. [Young 1974, Daly 2006]
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/fact_table.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::training {

// How often each part stops a job.
struct Hazards {
  Hertz gpu;                // Per accelerator, with its memory.
  Hertz nic;                // Per network card; every accelerator has one.
  Hertz network;            // Switches and cables, per accelerator they serve.
  Hertz host;               // Per node: power, disk, processor, maintenance nobody planned.
  Hertz node;               // Where a fleet states its hardware as a whole; the four above are 0.
  Hertz software;           // Per job of at least `growth_nodes` nodes; of smaller ones pro rata.
  double growth_nodes = 1;  // Measured up to there; beyond it a bug is the job's, not the node's.
  Hertz planned;            // Per job of that size, likewise.
  Hertz preemption;         // Per node, where capacity is borrowed.

  Hertz hardware(int gpus, int gpus_per_node) const;
  Hertz job(int gpus, int gpus_per_node) const;  // All that stops a job, planned stops included.
};

enum class CheckpointTier : std::uint8_t {
  kSynchronous,   // Everybody waits until the storage has it.
  kAsynchronous,  // A copy in host memory, written behind the next steps.
  kInMemory,      // A copy in a neighbour's memory; the storage gets one now and then.
};
std::string_view name(CheckpointTier tier);

struct FailureTimes {
  Seconds restart;  // From the crash to the first new step.
                    // Time until somebody notices a failure that raises no error.
  Seconds detection;
  double silent = 0;       // Share of the failures that raise no error.
  Seconds repair;          // Until a broken node serves again.
  Bytes per_parameter;     // What a checkpoint stores for each parameter.
  BytesPerSecond storage;  // Rate at which the whole job writes to it.
  Seconds in_memory;       // Least stall of an in-memory checkpoint.

  Seconds mean_detection() const { return detection * silent; }
};

struct Reliability {
  Hazards hazards;
  FailureTimes times;
  std::vector<const catalog::Fact*> facts;  // The facts it was made from.
};

// From the catalogue's facts; figures of `family` (ampere, hopper, …) where it has its own.
Result<Reliability> read_reliability(const std::vector<catalog::Fact>& facts,
                                     std::string_view family);

// How machines that their owner takes back are taken; what is not said is the fleet's.
struct Preemption {
  std::optional<Hertz> hazard;  // How often a node is taken.
  std::optional<double> nodes;  // Nodes whose loss stops the job; all of its own where not said.
  std::optional<Seconds> loss;  // Work lost and restart, each time.
  std::optional<Seconds> wait;  // Until there is another; the time of a repair where not said.
};

// A job that goes on with fewer nodes while others are in repair, and grows again when they are
// back. Its batch stays as it is: fewer copies of the model take more micro-batches each.
struct ElasticJob {
  int copies = 1;
  double copy_nodes = 1;           // Below one where a node holds several.
  std::int64_t micro_batches = 1;  // Those of one copy in a step.

  // Its pace with so many nodes missing, over that with all.
  double pace(int nodes, double missing) const;
};

struct GoodputQuestion {
  int gpus = 1;
  int gpus_per_node = 8;
  double parameters = 0;
  CheckpointTier tier = CheckpointTier::kAsynchronous;
  BytesPerSecond host_link;           // From one accelerator to its host.
  bool borrowed = false;              // Spot capacity.
  Preemption preemption;              // How spot capacity is taken away.
  std::optional<Seconds> interval;    // Not given: the best one.
  Seconds step;                       // Checkpoints lie between steps; 0: not known.
  std::optional<int> spare_nodes;     // Not given: as many as pay for themselves.
  std::optional<ElasticJob> elastic;  // Not given: the job waits for repairs.
};

// Where less is left, a run does not end in any useful time.
inline constexpr double kLeastGoodput = 1e-2;
// Nobody leaves more than a day of work without a copy, however rarely machines fail.
inline constexpr Seconds kLongestInterval = Seconds::from_base(86400);

// Shares of the paid time, which with `value` sum to one.
struct Goodput {
  double value = 1;
  double checkpointing = 0;
  double lost_work = 0;
  double restart = 0;
  double detection = 0;
  double waiting = 0;  // Time spent on repairs when all spares are in use.
  Hertz hazard;
  Seconds mtbf;      // Infinite where nothing fails.
  Seconds interval;  // Work between two checkpoints, in whole steps where their time is known.
  Seconds stall;     // What one checkpoint holds the job up.
  Seconds write;     // Time until a checkpoint is safe.
  Bytes checkpoint;
  double in_repair = 0;    // Nodes on average.
  int spare_nodes = 0;     // As asked, or the best number.
  int best_spares = 0;     // The best number; 0 where no number of spares lets the run recover.
  double with_spares = 0;  // Goodput with the best number of spares.
  // Paid time per useful time of the best of waiting and spares, over that of going on with fewer
  // nodes; 1 where the job waits anyway.
  double elastic_saves = 1;

  // Paid capacity per useful hour, over what the job itself occupies: spares cost too.
  double paid_factor(int nodes) const {
    return (1.0 + static_cast<double>(spare_nodes) / nodes) / value;
  }
};

Goodput goodput(const Reliability& reliability, const GoodputQuestion& question);

// √(2 · stall · mtbf), the interval that loses least to checkpoints and lost work together.
Seconds best_interval(Seconds stall, Seconds mtbf);

// Steps between two checkpoints that far apart: whole ones, one at least.
std::int64_t steps_of(Seconds interval, Seconds step);

// To first order in (interval + restart) / mtbf, not below 0.
double first_order_goodput(Seconds stall, Seconds interval, Seconds mtbf, Seconds recovery);

// Chance that more than `spares` independent repairs with this mean are under way at once.
double poisson_tail(double mean, int spares);

// Spare nodes that minimise paid nodes per useful hour.
int best_spares(int nodes, double mean_in_repair);

}  // namespace loadfactor::training

// The machine a job runs on, as its kernels and collectives see it: achieved rates, not peaks.
#pragma once

#include <array>
#include <optional>

#include "loadfactor/quantity.h"
#include "training/job/constants.h"
#include "training/job/job.h"

namespace loadfactor::training {

struct Machine {
  const KernelFamily* family = nullptr;
  double units = 1;                             // Processors that tiles are dealt to.
  std::array<FlopsPerSecond, kNumWidths> gemm;  // Sustained by large products.
  FlopsPerSecond attention;                     // Forward, long sequences, tuned kernel.
  double attention_half = 0;                    // Tokens.
  BytesPerSecond memory;
  BytesPerSecond scale_up;      // Per chip, one direction, large messages.
  BytesPerSecond scale_out;     // Line rate per chip.
  BytesPerSecond host;          // To where offloaded state lives.
  BytesPerSecond host_memory;   // One rank's share of that memory; 0: not known.
  double oversubscription = 1;  // That of the network beyond
  int leaf_domains = 0;         // so many domains; 0: nowhere.
  double transport_share = 1;
  Seconds transport_latency;
  int domain = 1;              // Chips that reach one another over scale_up.
  int node = 8;                // Chips per host.
  int axes = 1;                // Torus dimensions; 1 for a switch.
  bool close_host = false;     // The host is attached by a coherent link.
  bool staged = false;         // Chips of a host reach one another through its memory alone.
  std::optional<HostBus> bus;  // Over which chips of a domain meet that no links join.

  // What each of `ranks` chips reaches of the next, when the first and the last of them lie `span`
  // chips apart.
  BytesPerSecond rate_inside(int ranks, int span) const {
    return bus && span > bus->joined ? bus->rate(ranks, span) : scale_up;
  }
  // The machine as ranks see it of which each has `stride` chips.
  Machine seen_every(int stride) const;
};

// The datasheet rate of dense products in a format, or in the next wider one the chip has.
FlopsPerSecond peak_rate(const catalog::AcceleratorSpec& chip, catalog::Dtype dtype);

// The width in which the chip runs products of a format: a chip without it runs the next wider one.
Width native_width(const catalog::AcceleratorSpec& chip, catalog::Dtype dtype);

Machine make_machine(const TrainingJob& job, const Constants& constants, const ChipConstants& chip,
                     const KernelFamily& family);

}  // namespace loadfactor::training

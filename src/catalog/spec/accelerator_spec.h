// What an accelerator is on paper: dense rates, memory, links, power. One chip (or package).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/spec/dtype.h"
#include "catalog/spec/provenance.h"
#include "catalog/spec/topology.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

enum class Status : std::uint8_t { kAnnounced, kCurrent, kLegacy };

struct AcceleratorMemory {
  Bytes nominal;  // As sold: 80 GB.
  Bytes usable;   // As the driver reports it: 79.6 GiB. Fitting uses this one.
  bool usable_assumed = false;
  BytesPerSecond bandwidth;
  std::string type;
  Provenance provenance;
};

struct AcceleratorArithmetic {
  std::array<FlopsPerSecond, kNumDtypes> dense{};  // 0 where the chip has no such rate.
  Provenance provenance;

  FlopsPerSecond rate(Dtype dtype) const { return dense[static_cast<std::size_t>(dtype)]; }
};

struct ComputeUnits {
  int units = 0;  // SMs, CUs, cores; 0 when not known.
  Bytes l2;       // 0 when not known.
  Hertz clock;    // Boost clock; 0 when not known.
  Provenance provenance;
};

struct ScaleUp {
  std::string link;          // A fabric's name.
  BytesPerSecond bandwidth;  // Per accelerator, one direction.
  int domain = 1;            // Accelerators that reach one another over it.
  Topology topology = Topology::kNone;
  Provenance provenance;
};

struct Link {
  std::string fabric;
  BytesPerSecond bandwidth;  // One direction.
  Provenance provenance;
};

struct AcceleratorPower {
  Watts rated;
  std::optional<Watts> idle;
  Provenance provenance;
};

struct AcceleratorSpec {
  std::string name;
  std::string title;
  std::string vendor;
  std::string family;
  std::string form;
  std::vector<std::string> aliases;
  std::vector<std::string> stack;
  int released = 0;  // Year.
  Status status = Status::kCurrent;
  Provenance lifecycle_provenance;
  AcceleratorMemory memory;
  AcceleratorArithmetic arithmetic;
  std::optional<FlopsPerSecond> measured_matmul;  // The best bf16 rate anyone measured.
  Provenance measured_provenance;
  ComputeUnits compute;
  ScaleUp scale_up;
  std::optional<Link> scale_out;
  std::optional<Link> host;
  // The way of copies between accelerators that do not reach each other's memory: through that of
  // their host, all of them at once. Nothing where they do.
  std::optional<Link> staged;
  AcceleratorPower power;
  std::string node;  // Name of the node it usually comes in; may be empty.
  std::string note;
  Provenance provenance;  // Provenance of the whole entry: the weakest kind of its blocks.
};

}  // namespace loadfactor::catalog

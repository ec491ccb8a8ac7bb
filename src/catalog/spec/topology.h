// How the accelerators of one scale-up domain are wired: one table for parsing and printing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace loadfactor::catalog {

enum class Topology : std::uint8_t {
  kNone,      // One chip per domain; neighbours are reached over the host link.
  kSwitch,    // Every pair at full rate (NVSwitch).
  kMesh,      // Every pair has a link of its own (Infinity Fabric).
  kCubeMesh,  // NVLink 2 without a switch.
  kBridge,    // Pairs.
  kTorus2d,
  kTorus3d,
  kRing,
};

struct TopologyRow {
  std::string_view text;
  Topology value;
};

inline constexpr std::array kTopologies{
    TopologyRow{"none", Topology::kNone},        TopologyRow{"switch", Topology::kSwitch},
    TopologyRow{"mesh", Topology::kMesh},        TopologyRow{"cube-mesh", Topology::kCubeMesh},
    TopologyRow{"bridge", Topology::kBridge},    TopologyRow{"torus-2d", Topology::kTorus2d},
    TopologyRow{"torus-3d", Topology::kTorus3d}, TopologyRow{"ring", Topology::kRing},
};

constexpr std::string_view name(Topology topology) {
  return kTopologies[static_cast<std::size_t>(topology)].text;
}

}  // namespace loadfactor::catalog

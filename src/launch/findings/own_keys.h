// Keys of findings that are our own: a scenario has none of them.
#pragma once

#include <string_view>

namespace loadfactor::launch {

// A model of torchtitan by its two names, in a TOML or on a command line, which overrides it.
inline constexpr const char* kTitanName = "titan.name";
inline constexpr const char* kTitanFlavor = "titan.flavor";
// The format of the products that converters of torchtitan make: fp8, mxfp8, or none. It stands in
// place of what the rest is computed in once all files are read.
inline constexpr const char* kTitanProducts = "titan.products";
inline constexpr const char* kTitanRecipe = "titan.recipe";  // How they are scaled.

// The GPUs that tools of a machine list. A run, or a server, takes all of them or some.
inline constexpr const char* kMachineGpus = "machine_gpus";

// That the machines are spot, which `money.options` says.
inline constexpr const char* kSpot = "money.spot";

// The share of memory that one server of a pool takes, a key for each share.
inline constexpr std::string_view kPoolFraction = "fraction.";

}  // namespace loadfactor::launch

// What a configuration of DeepSpeed or of accelerate moves to the memory of the host.
#pragma once

#include <string_view>

#include "launch/findings/nodes.h"

namespace loadfactor::launch {

// Whether a device is the host's memory, or beyond it.
bool moves_to_host(const Source& source, const config::Node& root, std::string_view path,
                   Findings& findings);

struct Offloaded {
  bool optimizer = false;
  bool parameters = false;
  bool activations = false;
};
void set_offload(const Source& source, const config::Node* node, const Offloaded& offloaded,
                 Findings& findings);

}  // namespace loadfactor::launch

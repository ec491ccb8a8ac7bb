// What NCCL says of itself (NCCL_DEBUG=INFO): how large its groups are and which ways they take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

// Calls of one collective, as NCCL_DEBUG_SUBSYS=COLL lists them for one process.
struct NcclCalls {
  std::string operation;  // As NCCL names it: AllReduce.
  std::int64_t calls = 0;
  Bytes bytes;  // What all calls carry: elements times their size.
};

struct NcclDebug {
  std::string file;
  std::string version;  // Empty where it does not say.
  std::string network;  // `IB`, `Socket`, `AWS Libfabric`, …; empty: nothing left a host.
  int ranks = 0;        // Ranks of the largest group.
  int hosts = 0;        // Hosts of the largest group; 0 where it does not say.
  int channels = 0;     // Channels of the group with most.
  // Connections by the way they take.
  std::int64_t direct = 0;        // From device to device within a host (P2P).
  std::int64_t through_host = 0;  // Through the host's memory (SHM).
  std::int64_t over_network = 0;
  std::int64_t into_device = 0;  // Those of the network that write into a device's memory (GDRDMA).
  bool in_switch = false;        // Sums in the switch: NVLS or SHARP.
  std::int64_t warnings = 0;
  std::string first_warning;
  std::vector<NcclCalls> calls;  // By operation.
};

bool is_nccl_debug(std::string_view bytes);

// LF541 where no line says of what the groups are.
Result<NcclDebug> read_nccl_debug(const std::string& file, std::string_view text);

}  // namespace loadfactor::calibrate

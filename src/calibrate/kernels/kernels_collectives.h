// Fits the two-protocol model of collectives to measured tables, one link technology at a time.
//
// Tables have columns op_name (or kernel_source), num_gpus, message_size (in elements of a format
// named by nccl_dtype or allreduce_dtype) and latency (ms). Rings are fitted to groups smaller
// than the largest; where the largest beats its ring by a tenth on long messages, the switch adds
// up, and its rows of a megabyte or more are fitted as that. An engine's own kernels, in one shot
// and in two, are fitted together to messages of up to 8 MiB, where they beat the library's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/kernels/kernels_table.h"
#include "catalog/spec/collective_table.h"
#include "collective/protocol.h"
#include "loadfactor/quantity.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

// The link that joins the chips of a table, and its rate.
struct MeasuredLink {
  std::string name;
  BytesPerSecond rate;
  bool sums = true;  // There are switches that may add up: not on a bus.
  // What groups of n lose, loss / n of the rate, where a table has groups of one size alone.
  double usual_loss = 0.0;
};
using LinkResolver = std::function<std::optional<MeasuredLink>(std::string_view system)>;

struct CollectiveSample {
  MeasuredLink link;
  collective::Operation operation = collective::Operation::kAllReduce;
  bool one_shot = false;
  bool in_switch = true;  // Its format is one that switches sum.
  int ranks = 2;
  Bytes bytes;
  Seconds measured;
  std::string source;
};

std::vector<CollectiveSample> read_collective_tables(std::span<const KernelTableFile> files,
                                                     const LinkResolver& resolve,
                                                     Diagnostics& diagnostics);

// Sorted by link, algorithm and operation. The errors of a row are those of groups of the sizes it
// was fitted on, each message size left out in turn.
std::vector<catalog::CollectiveRow> fit_collectives(std::span<const CollectiveSample> samples);

// The rows as YAML items of data/calibration/collectives.yaml.
std::string collective_rows_yaml(std::span<const catalog::CollectiveRow> rows,
                                 std::string_view date);

}  // namespace loadfactor::calibrate

// Reads measured kernel tables. What a file holds is told by the names of its columns.
//
// | columns | kernel | time |
// | m, n, k, gemm_dtype or dtype | matrix products | latency (ms) or seconds |
// | isl, step, num_heads, attn_dtype, kv_cache_dtype | attention over a prompt | latency (ms) |
// | kv_len, batch_size, num_heads, kv_cache_dtype | attention of one token | latency_ms |
// | num_tokens, num_experts, moe_dtype | experts of a mixture | latency (ms) |
// | phase, q_len, kv_len, heads | attention: prefill, decode, fwd_bwd | seconds |
// | op, bytes_moved / op, elements | traffic-bound kernels | seconds |
// | n_embd, num_tokens, attn_pre_proj_median_ms | ops of a layer, timed singly | ms |
// | what | launches | seconds |
// | load, power_w_mean, sm_mhz | loads held until the clock settled | |
//
// A column `system` or `device` names the chip of a row; a file without one is told it.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/kernels/kernels_sample.h"
#include "loadfactor/result.h"

namespace loadfactor::calibrate {

struct KernelTableFile {
  std::string name;
  std::string text;
  std::string source;  // Id of the source, for provenance.
  std::string chip;    // Catalogue name; may be empty if the rows name their chip.
};

struct LaunchSample {
  std::string chip;
  std::string what;
  Seconds duration;
  std::string source;
};

struct PowerSample {
  std::string chip;
  std::string load;
  Watts power;
  Hertz clock;
  double rate = 0.0;  // Tera-units per second.
  std::string unit;
  std::string source;
};

struct KernelMeasurements {
  std::vector<KernelSample> kernels;
  std::vector<LaunchSample> launches;
  std::vector<PowerSample> power;
};

// The catalogue name of a chip as a table writes it; nothing for a chip that is not known.
using ChipResolver = std::function<std::optional<std::string>(std::string_view)>;

// Where two files measured the same kernel class and format of a chip, the later file replaces
// the earlier. Rows that beat no possible machine (flagged by the table) and rows of chips that
// are not known are left out; broken rows are reported.
KernelMeasurements read_kernel_tables(std::span<const KernelTableFile> files,
                                      const ChipResolver& resolve, Diagnostics& diagnostics);

}  // namespace loadfactor::calibrate

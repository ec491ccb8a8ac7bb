#include "catalog/validators/accelerator_validator.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "base/quoted.h"
#include "catalog/validators/dense_rate_rule.h"
#include "catalog/validators/link_rule.h"

namespace loadfactor::catalog {
namespace {

constexpr std::array<std::string_view, 13> kStacks{
    "cuda",     "rocm",   "xla",    "neuron", "habana",    "cann", "groq",
    "cerebras", "poplar", "oneapi", "qaic",   "sambaflow", "metal"};

void check_memory(const AcceleratorSpec& spec, const EntryCheck& check) {
  // Memory is sold in GB and built in GiB, 80 GB are 80 GiB of chips, and rounded to a percent.
  // The least a driver was seen to leave of it is 85 %.
  constexpr double kMaxUsableShare = 1.0737418240 * 1.01;
  // A processor that shares its memory is let have less.
  constexpr double kMinUsableOfDriver = 0.85;
  constexpr double kMinUsableOfShared = 0.65;
  const bool is_shared = spec.form == "system" && spec.memory.type.starts_with("lpddr");
  const double least = is_shared ? kMinUsableOfShared : kMinUsableOfDriver;
  const double share = spec.memory.usable / spec.memory.nominal;
  if (share <= kMaxUsableShare && share >= least) return;
  check.report(
      spec.memory.provenance, "usable",
      Error{.code = lf::kInconsistentFigures,
            .message = "usable memory, " + format_display(any(spec.memory.usable)) +
                       ", does not suit " + format_display(any(spec.memory.nominal)) + " as sold",
            .hint = "write what the driver reports as total, such as '81559 MiB'"});
}

void check_rates(const AcceleratorSpec& spec, const EntryCheck& check) {
  const FlopsPerSecond bf16 = spec.arithmetic.rate(Dtype::kBf16);
  if (spec.measured_matmul && bf16 > FlopsPerSecond() && *spec.measured_matmul > 1.02 * bf16) {
    check.report(spec.measured_provenance, "bf16",
                 Error{.code = lf::kInconsistentFigures,
                       .message = "measured " + format_display(any(*spec.measured_matmul)) +
                                  " exceed the peak of " + format_display(any(bf16)),
                       .hint = "one of the two is wrong"});
  }
  check_dense_rates(spec, check.shelves().accelerators.all(), check);
}

void check_power(const AcceleratorSpec& spec, const EntryCheck& check) {
  const auto& power = spec.power;
  if (power.idle && *power.idle >= power.rated) {
    check.report(power.provenance, "idle",
                 Error{.code = lf::kInconsistentFigures,
                       .message = "idle draw, " + format_display(any(*power.idle)) +
                                  ", is not below the rated " + format_display(any(power.rated)),
                       .hint = "swap them, or correct one"});
  }
  // The best chips of 2026 do some 30 TFLOP/s of 4 bits per watt.
  constexpr double kMaxFlopPerJoule = 1e14;
  const auto& rates = spec.arithmetic.dense;
  const FlopsPerSecond best = *std::max_element(rates.begin(), rates.end());
  if (best.base() > kMaxFlopPerJoule * power.rated.base()) {
    check.report(power.provenance, "rated",
                 Error{.code = lf::kAbsurdMagnitude,
                       .message = format_display(any(best)) + " cannot come from " +
                                  format_display(any(power.rated)),
                       .hint = "check the prefix of both"});
  }
}

void check_links(const AcceleratorSpec& spec, const EntryCheck& check) {
  const auto& scale_up = spec.scale_up;
  check.check_fabric(scale_up.provenance, scale_up.link);
  check_one_direction(scale_up.provenance, scale_up.link, scale_up.bandwidth, check);
  for (const auto* link : {&spec.scale_out, &spec.host}) {
    if (!*link) continue;
    check.check_fabric((*link)->provenance, (*link)->fabric);
    check_one_direction((*link)->provenance, (*link)->fabric, (*link)->bandwidth, check);
  }
}

void check_stack(const AcceleratorSpec& spec, const EntryCheck& check) {
  for (const auto& word : spec.stack) {
    if (std::find(kStacks.begin(), kStacks.end(), word) != kStacks.end()) continue;
    std::string all;
    for (const auto known : kStacks) all += (all.empty() ? "" : ", ") + std::string(known);
    check.report(spec.provenance, word,
                 Error{.code = lf::kUnknownWord,
                       .message = in_quotes(word) + " is not a software stack",
                       .hint = "one of: " + all});
  }
}

void check_sources(const AcceleratorSpec& spec, const EntryCheck& check) {
  const auto of = [&spec](std::string_view block) {
    return std::string(block) + " of " + spec.name;
  };
  check.check_provenance(spec.lifecycle_provenance, of("lifecycle"));
  check.check_provenance(spec.memory.provenance, of("memory"));
  check.check_provenance(spec.arithmetic.provenance, of("arithmetic"));
  check.check_provenance(spec.measured_provenance, of("measured rate"));
  check.check_provenance(spec.compute.provenance, of("compute"));
  check.check_provenance(spec.scale_up.provenance, of("scale-up"));
  check.check_provenance(spec.power.provenance, of("power"));
  if (spec.scale_out) check.check_provenance(spec.scale_out->provenance, of("scale-out"));
  if (spec.host) check.check_provenance(spec.host->provenance, of("host link"));
}

}  // namespace

void validate(const AcceleratorSpec& spec, const EntryCheck& check) {
  check_memory(spec, check);
  check_rates(spec, check);
  check_power(spec, check);
  check_links(spec, check);
  check_stack(spec, check);
  check.check_node(spec.provenance, spec.node);
  check_sources(spec, check);
}

}  // namespace loadfactor::catalog

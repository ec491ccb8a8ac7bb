#include "engine/calibrate/probe_terms.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "calibrate/site/site_kernels.h"
#include "resolve/train/train_stack.h"
#include "training/job/calibration_file.h"
#include "training/step/kernel_time.h"
#include "training/step/machine.h"

namespace loadfactor::engine {
namespace {

using calibrate::ProbeRow;
using calibrate::SiteObservation;

// How far a step's mix of shapes may differ from the one load that was held, as the standard
// deviation of the logarithm: of large products, of attention in another program's kernels, of
// the traffic of a step's pointwise kernels beside an optimizer's. To it comes the clock: a step
// that also waits and streams settles somewhere between a held load and a burst.
constexpr double kProducts = 0.03;
constexpr double kAttention = 0.06;
constexpr double kTraffic = 0.08;
constexpr std::string_view kHeldProduct = "gemm_bf16_";
constexpr std::string_view kHeldAttention = "attention_prefill";

// What the training model says of kernels on a machine.
struct Machinery {
  training::Calibration calibration;
  training::StackTraits stack;
  training::Machine machine;

  training::KernelContext context() const {
    training::KernelContext context;
    context.machine = &machine;
    context.constants = &calibration.shared;
    context.stack = &stack;
    return context;
  }
};

bool set_up(Machinery& out, const catalog::Catalog& catalog, const catalog::AcceleratorSpec& chip,
            Diagnostics& diagnostics) {
  const auto* file = catalog.find_file("calibration/training.yaml");
  if (file == nullptr) return false;
  out.calibration = training::load_calibration(*file, diagnostics).calibration();
  const auto* constants = constants_of(catalog, out.calibration, chip);
  if (!diagnostics.empty() || constants == nullptr) return false;
  training::TrainingJob job;
  job.chip = &chip;
  job.stack = &out.stack;
  job.layout.gpus = 1;
  out.machine = training::make_machine(job, out.calibration.shared, *constants,
                                       out.calibration.families[constants->family]);
  return true;
}

// Anywhere between the two rates: the deviation of an even spread.
double noise_of(double mix, double burst, double held) {
  const double clocks = burst > held ? std::log(burst / held) / std::sqrt(12.0) : 0.0;
  return std::hypot(mix, clocks);
}

struct Seen {
  std::string label;
  double predicted = 0;
  double measured = 0;
  double noise = 0;
};

// The rate of one square product timed after a rest, in FLOP/s; 0 where it was not.
double burst_product(const calibrate::ProbeFile& probe, double size) {
  for (const ProbeRow& row : probe.section("gemm")) {
    const bool square =
        row.number("m") == size && row.number("n") == size && row.number("k") == size;
    const double took = row.number("seconds").value_or(0);
    if (square && row.word("dtype") == "bf16" && took > 0) return 2 * size * size * size / took;
  }
  return 0;
}

std::optional<Seen> held_product(const calibrate::ProbeFile& probe, const ProbeRow& row,
                                 const training::KernelContext& context) {
  const std::string_view load = row.word("load");
  if (!load.starts_with(kHeldProduct)) return std::nullopt;
  double size = 0;
  const std::string_view digits = load.substr(kHeldProduct.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  const double rate = row.number("rate").value_or(0) * 1e12;
  if (!(size > 0 && rate > 0)) return std::nullopt;
  const auto model = training::gemm_time(context, {size, size, size, 1}, training::Width::k16);
  return Seen{std::string(load), model.base(), 2 * size * size * size / rate,
              noise_of(kProducts, burst_product(probe, size), rate)};
}

// The longest prompt of the probe in one pass, as far as it used the instructions that libraries
// use.
const ProbeRow* longest(const calibrate::ProbeFile& probe, std::string_view phase) {
  const ProbeRow* best = nullptr;
  for (const ProbeRow& row : probe.section("attention")) {
    if (row.word("phase") != phase || row.word("instructions") != calibrate::kWarpGroups) continue;
    if (row.number("head_dim") != 128.0 || row.number("batch") != 1.0) continue;
    const auto length = row.number("q_len");
    if (length && (best == nullptr || *length > *best->number("q_len"))) best = &row;
  }
  return best;
}

// Both passes of the longest prompt, stretched to the clock that the held prompts settled at.
std::optional<Seen> held_attention(const calibrate::ProbeFile& probe,
                                   const training::KernelContext& context) {
  const ProbeRow* forward = longest(probe, "prefill");
  const ProbeRow* backward = longest(probe, "backward");
  if (forward == nullptr || backward == nullptr) return std::nullopt;
  const auto length = forward->number("q_len");
  const auto heads = forward->number("heads");
  const double burst = forward->number("tflops").value_or(0);
  if (!heads || backward->number("q_len") != length || burst <= 0) return std::nullopt;
  for (const ProbeRow& row : probe.section("power")) {
    const double held = row.number("rate").value_or(0);
    if (!row.word("load").starts_with(kHeldAttention) || held <= 0) continue;
    const auto model =
        training::attention_time(context, {*length, *length / 2, *length, *heads, 128, 128});
    const double both =
        forward->number("seconds").value_or(0) + backward->number("seconds").value_or(0);
    if (both <= 0) return std::nullopt;
    return Seen{"attention", (model.forward + model.backward).base(), both * burst / held,
                noise_of(kAttention, burst, held)};
  }
  return std::nullopt;
}

std::optional<Seen> adam_step(const ProbeRow& row, const training::KernelContext& context) {
  const double bytes =
      row.number("parameters").value_or(0) * row.number("bytes_per_parameter").value_or(0);
  const double took = row.number("seconds").value_or(0);
  if (!(bytes > 0 && took > 0)) return std::nullopt;
  const Seconds model = Bytes::from_base(bytes) / context.machine->memory;
  return Seen{"optimizer", model.base(), took, kTraffic};
}

}  // namespace

std::vector<SiteObservation> observe_probe(const calibrate::ProbeFile& probe,
                                           const catalog::Catalog& catalog,
                                           const catalog::AcceleratorSpec& chip,
                                           const calibrate::SiteCalibration& site,
                                           Diagnostics& diagnostics) {
  Machinery machinery;
  if (!set_up(machinery, catalog, chip, diagnostics)) return {};
  const auto context = machinery.context();
  std::vector<SiteObservation> observed;
  const auto add = [&](std::string_view term, const std::optional<Seen>& seen) {
    if (!seen) return;
    SiteObservation one;
    one.label = seen->label;
    for (const auto& entry : site.terms)
      one.terms.push_back(entry.term.name == term ? seen->predicted : 0.0);
    one.measured = seen->measured;
    one.noise = seen->noise;
    observed.push_back(std::move(one));
  };
  for (const ProbeRow& row : probe.section("power"))
    add("products", held_product(probe, row, context));
  add("attention", held_attention(probe, context));
  for (const ProbeRow& row : probe.section("optimizer")) add("traffic", adam_step(row, context));
  return observed;
}

}  // namespace loadfactor::engine

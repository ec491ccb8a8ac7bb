#include "catalog/validators/node_validator.h"

#include <string>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "catalog/validators/link_rule.h"

namespace loadfactor::catalog {
namespace {

void check_power(const NodeSpec& spec, const EntryCheck& check) {
  const NodePower& power = *spec.power;
  const Watts typical = power.typical.value_or(power.max);
  const Watts idle = power.idle.value_or(typical);
  if (idle > typical || typical > power.max) {
    check.report(power.provenance, "max",
                 Error{.code = lf::kInconsistentFigures,
                       .message = "power does not rise from idle over typical to max",
                       .hint = "idle <= typical <= max must hold"});
  }
  const auto& shelf = check.shelves().accelerators;
  if (!shelf.has(spec.accelerator)) return;
  const auto accelerator = shelf.get(*shelf.index().find(plain_key(spec.accelerator)));
  if (!accelerator) return;
  // Capped boards may draw less than they are rated; hosts, fans and switches at most 7 times as
  // much as the accelerators (one small card in a server), plus 1 kW.
  const Watts boards = (*accelerator)->power.rated * spec.gpus;
  if (power.max >= 0.6 * boards && power.max <= 8.0 * boards + Watts::from_base(1000)) return;
  check.report(power.provenance, "max",
               Error{.code = lf::kInconsistentFigures,
                     .message = format_display(any(power.max)) + " does not suit " +
                                std::to_string(spec.gpus) + " accelerators of " +
                                format_display(any((*accelerator)->power.rated)),
                     .hint = "check 'gpus' and the prefix of the power"});
}

}  // namespace

void validate(const NodeSpec& spec, const EntryCheck& check) {
  check.check_accelerator(spec.provenance, spec.accelerator);
  if (spec.host) check.check_provenance(spec.host->provenance, "host of " + spec.name);
  if (spec.price) check.check_provenance(spec.price->provenance, "price of " + spec.name);
  if (spec.network) {
    const NodeNetwork& network = *spec.network;
    check.check_provenance(network.provenance, "network of " + spec.name);
    check.check_fabric(network.provenance, network.fabric);
    check_one_direction(network.provenance, network.fabric, network.bandwidth, check);
  }
  if (spec.power) {
    check.check_provenance(spec.power->provenance, "power of " + spec.name);
    check_power(spec, check);
  }
}

}  // namespace loadfactor::catalog

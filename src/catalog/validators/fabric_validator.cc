#include "catalog/validators/fabric_validator.h"

#include <cmath>
#include <string>

#include "base/error_codes.h"
#include "base/quantity_text.h"

namespace loadfactor::catalog {
namespace {

void check_bandwidth(const FabricSpec& spec, const EntryCheck& check) {
  const bool both_ways = spec.quoted_as.find("bidirectional") != std::string::npos;
  if (!spec.quoted || !both_ways) return;
  // Encoding takes a few percent off what is quoted, never more than a tenth.
  const double share = 2.0 * spec.bandwidth / *spec.quoted;
  if (share <= 1.03 && share >= 0.9) return;
  check.report(spec.bandwidth_provenance, "per_direction",
               Error{.code = lf::kBidirectionalBandwidth,
                     .message = "one direction of " + format_display(any(*spec.quoted)) +
                                " both ways is not " + format_display(any(spec.bandwidth)),
                     .hint = "write about " + format_display(any(*spec.quoted / 2.0))});
}

}  // namespace

void validate(const FabricSpec& spec, const EntryCheck& check) {
  check_bandwidth(spec, check);
  check.check_provenance(spec.bandwidth_provenance, "bandwidth of " + spec.name);
  check.check_provenance(spec.latency_provenance, "latency of " + spec.name);
  check.check_provenance(spec.domain_provenance, "domain of " + spec.name);
  check.check_provenance(spec.achieved_provenance, "achieved share of " + spec.name);
  check.check_provenance(spec.price_provenance, "price of " + spec.name);
  check.check_provenance(spec.switch_provenance, "switch of " + spec.name);
}

}  // namespace loadfactor::catalog

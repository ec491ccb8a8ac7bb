#include "catalog/validators/link_rule.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error_codes.h"
#include "base/quantity_text.h"

namespace loadfactor::catalog {
namespace {

bool is_near(BytesPerSecond a, BytesPerSecond b) {
  return std::abs(a / b - 1.0) <= 0.03;
}

}  // namespace

void check_one_direction(const Provenance& at, std::string_view fabric, BytesPerSecond bandwidth,
                         const EntryCheck& check) {
  const auto& shelf = check.shelves().fabrics;
  if (!shelf.has(fabric)) return;
  const auto entry = shelf.index().find(plain_key(fabric));
  const auto found = shelf.get(*entry);
  if (!found) return;
  const FabricSpec& spec = **found;
  if (is_near(bandwidth, spec.bandwidth)) return;
  const bool is_quoted = spec.quoted && is_near(bandwidth, *spec.quoted) &&
                         spec.quoted_as.find("bidirectional") != std::string::npos;
  // Networks are sold by one direction, and an accelerator may have two of their ports.
  const bool is_doubled =
      spec.role != FabricRole::kScaleOut && is_near(bandwidth, 2.0 * spec.bandwidth);
  if (!is_quoted && !is_doubled) return;
  check.report(at, "bandwidth",
               Error{.code = lf::kBidirectionalBandwidth,
                     .message = format_display(any(bandwidth)) + " is both directions of " +
                                spec.name + " together",
                     .hint = "write one direction: " + format_display(any(spec.bandwidth))});
}

}  // namespace loadfactor::catalog

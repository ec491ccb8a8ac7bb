// What a fleet says of itself: the names of its kinds of work, and where a mistake stands.
#include <array>
#include <cstddef>
#include <utility>

#include "config/scenario/fleet.h"
#include "config/source_error.h"

namespace loadfactor::config {

std::string_view name_of(WorkloadKind kind) {
  constexpr std::array<std::string_view, 5> kNames{"online", "batch", "training", "fine-tuning",
                                                   "reserved"};
  return kNames[static_cast<std::size_t>(kind)];
}

Error Fleet::error(int code, Position at, std::string message, std::string hint) const {
  return written_error({source->file, source->text}, source->assignments, code, at,
                       std::move(message), std::move(hint));
}

}  // namespace loadfactor::config

#include "catalog/import/prices/name_resolvers.h"

#include "catalog/index/accelerator_name.h"
#include "catalog/index/model_name.h"

namespace loadfactor::catalog {
namespace {

// Whether another variant of the chip would have answered to `written` just as well. An entry
// without a memory size in its name is the usual one, so that leaving the size out means it.
bool has_other_variant(const Catalog& catalog, const AcceleratorSpec& chosen,
                       std::string_view written) {
  const AcceleratorQuery asked = parse_accelerator_name(written);
  const AcceleratorQuery named = parse_accelerator_name(chosen.name);
  const bool form_is_open = asked.form.empty();
  const bool memory_is_open = !asked.memory && named.memory.has_value();
  for (const AcceleratorSpec& other : catalog.accelerators()) {
    if (other.name == chosen.name || parse_accelerator_name(other.name).chip() != named.chip()) {
      continue;
    }
    const bool form_fits = form_is_open || other.form == chosen.form;
    const bool memory_fits =
        memory_is_open || other.memory.nominal.base() == chosen.memory.nominal.base();
    if (form_fits && memory_fits) return true;
  }
  return false;
}

}  // namespace

AcceleratorResolver accelerator_resolver(const Catalog& catalog) {
  return [&catalog](std::string_view written) -> std::optional<NamedAccelerator> {
    const auto found = catalog.find_accelerator(written);
    if (!found) return std::nullopt;
    return NamedAccelerator{(*found)->name, has_other_variant(catalog, **found, written)};
  };
}

std::function<std::string(std::string_view)> model_resolver(const Catalog& catalog) {
  return [&catalog](std::string_view id) -> std::string {
    const std::size_t slash = id.rfind('/');
    auto found = catalog.find_model(id);
    if (!found && slash != std::string_view::npos) found = catalog.find_model(id.substr(slash + 1));
    return found && !is_other_variant(id, (*found)->name) ? (*found)->name : std::string();
  };
}

}  // namespace loadfactor::catalog

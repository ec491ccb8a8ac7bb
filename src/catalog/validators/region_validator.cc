#include "catalog/validators/region_validator.h"

namespace loadfactor::catalog {

void validate(const RegionSpec& spec, const EntryCheck& check) {
  check.check_provenance(spec.electricity_provenance, "electricity of " + spec.name);
  check.check_provenance(spec.carbon_provenance, "carbon of " + spec.name);
  if (spec.climate) check.check_provenance(spec.climate->provenance, "climate of " + spec.name);
  if (spec.location) check.check_provenance(spec.location->provenance, "location of " + spec.name);
}

}  // namespace loadfactor::catalog

#include "catalog/validators/engine_validator.h"

namespace loadfactor::catalog {

void validate(const EngineSpec& spec, const EntryCheck& check) {
  check.check_provenance(spec.memory.provenance, "memory of " + spec.name);
  check.check_provenance(spec.batching.provenance, "batching of " + spec.name);
  check.check_provenance(spec.overhead.provenance, "overhead of " + spec.name);
}

}  // namespace loadfactor::catalog

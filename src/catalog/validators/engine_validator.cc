#include "catalog/validators/engine_validator.h"

#include <string>
#include <vector>

#include "base/error_codes.h"
#include "catalog/index/entry_finder.h"

namespace loadfactor::catalog {
namespace {

// Names in an engine's file that must be those of generations.
class References {
 public:
  References(const EngineSpec& spec, const EntryCheck& check) : spec_(spec), check_(check) {
    for (const auto& engine : check.shelves().engines.all()) {
      for (const auto& entry : engine.generations) names_.push_back(entry.name);
    }
  }

  void check_name(const std::string& name) const {
    for (const auto& known : names_) {
      if (known == name) return;
    }
    check_.report({.file = spec_.provenance.file, .line = 1}, name,
                  unknown_name(lf::kUnknownWord, "engine generation", name, names_));
  }

 private:
  const EngineSpec& spec_;
  const EntryCheck& check_;
  std::vector<std::string> names_;
};

void check_references(const EngineSpec& spec, const EntryCheck& check) {
  const References references(spec, check);
  if (!spec.generation.empty()) references.check_name(spec.generation);
  for (const auto& range : spec.releases) references.check_name(range.generation);
  for (const auto& variant : spec.chips) {
    references.check_name(variant.generation);
    for (const auto& name : variant.instead_of) references.check_name(name);
  }
  for (const auto& name : spec.published) {
    if (!name.generation.empty()) references.check_name(name.generation);
  }
}

}  // namespace

void validate(const EngineSpec& spec, const EntryCheck& check) {
  check.check_provenance(spec.memory.provenance, "memory of " + spec.name);
  check.check_provenance(spec.batching.provenance, "batching of " + spec.name);
  check.check_provenance(spec.overhead.provenance, "overhead of " + spec.name);
  for (const auto& generation : spec.generations)
    check.check_provenance(generation.provenance, "generation " + generation.name);
  const auto& engines = check.shelves().engines;
  if (!spec.generations_of.empty() && !engines.has(spec.generations_of))
    check.report({.file = spec.provenance.file, .line = 1}, spec.generations_of,
                 unknown_name(lf::kUnknownEngine, "engine", spec.generations_of, engines.names()));
  check_references(spec, check);
}

void validate_generations(const EntryCheck& check) {
  for (const auto& fault : check.shelves().generations.get().faults)
    check.report(fault.at, fault.word, fault.error);
}

}  // namespace loadfactor::catalog

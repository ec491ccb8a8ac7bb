// Finds the entry that a written name means, reading as few entries as the rules need.
#pragma once

#include <string_view>

#include "catalog/index/shelf.h"
#include "catalog/spec/accelerator_spec.h"
#include "catalog/spec/model_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

// First a name or alias; then the variants of the chip that is named; then whatever entry is
// called by all the words (`Rubin` by the words of its title).
Result<const AcceleratorSpec*> find_by_name(const Shelf<AcceleratorSpec>& shelf,
                                            std::string_view written);

// First the spellings of model_spellings(); then names that differ in sizes left out.
Result<const ModelSpec*> find_by_name(const Shelf<ModelSpec>& shelf, std::string_view written);

// `no <what> named '<written>'` with the nearest names of the shelf.
Error unknown_name(int code, std::string_view what, std::string_view written,
                   const std::vector<std::string>& names);

// A name in plain form, nothing cleverer: for nodes, fabrics and regions.
template <typename Spec>
Result<const Spec*> find_plainly(const Shelf<Spec>& shelf, std::string_view written, int code,
                                 std::string_view what) {
  if (const auto entry = shelf.index().find(plain_key(written))) return shelf.get(*entry);
  return unknown_name(code, what, written, shelf.names());
}

}  // namespace loadfactor::catalog

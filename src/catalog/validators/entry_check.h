// What every validator needs: the catalogue to look names up in, and a way to point at a fact.
#pragma once

#include <string>
#include <string_view>

#include "catalog/index/shelves.h"
#include "catalog/spec/provenance.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

class EntryCheck {
 public:
  // No date may lie after `today`; empty means that dates are not checked.
  EntryCheck(const Shelves& shelves, std::string_view today, Diagnostics& diagnostics)
      : shelves_(shelves), today_(today), diagnostics_(diagnostics) {}

  const Shelves& shelves() const { return shelves_; }

  // Adds an error at the first `word` on or after the line that states the fact (the line itself
  // if there is none).
  void report(const Provenance& at, std::string_view word, Error error) const;

  // Every source must have a row in SOURCES.md (LF405), and no fact comes from the future
  // (LF510). `what` names the fact: "memory of h100-sxm".
  void check_provenance(const Provenance& provenance, std::string_view what) const;

  // LF401, LF403, LF404 with the nearest names. References are exact names, not spellings.
  void check_accelerator(const Provenance& at, std::string_view name) const;
  void check_node(const Provenance& at, std::string_view name) const;
  void check_fabric(const Provenance& at, std::string_view name) const;
  void check_model(const Provenance& at, std::string_view name) const;

 private:
  const Shelves& shelves_;
  std::string_view today_;
  Diagnostics& diagnostics_;
};

}  // namespace loadfactor::catalog

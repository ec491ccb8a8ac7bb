// What a written accelerator says: the chip, and the form, memory and domain that tell its
// variants apart.
//
// `NVIDIA A100-SXM4-80GB` is chip `a100`, form `sxm`, memory 80 GB. Vendor and marketing words,
// the memory's technology, a power limit and a parenthesised remark fall away.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/spec/accelerator_spec.h"
#include "loadfactor/result.h"

namespace loadfactor::catalog {

struct AcceleratorQuery {
  std::vector<std::string> words;  // What names the chip, in the order written.
  std::string form;                // sxm | pcie | nvl | oam, or empty.
  std::optional<Bytes> memory;     // As sold.
  std::string memory_type;         // hbm2e, or empty.
  int domain = 0;                  // 72 of NVL72; 0 when not said.

  std::string chip() const;  // The words as one plain key.
};

AcceleratorQuery parse_accelerator_name(std::string_view text);

// Whether every word of the query occurs in what the entry is called: name, title, aliases,
// vendor, family.
bool is_called(const AcceleratorSpec& spec, const AcceleratorQuery& query);

// The variant that the query means among those of one chip. Form, memory and domain must agree
// where they are said (LF401 naming the variants there are). Where they are not, the SXM or OAM
// form is meant rather than a card, the entry without a memory size in its name rather than one
// with, and the larger memory: `A100` is a100-80gb-sxm, `H100` is h100-sxm. LF406 if two are left.
Result<const AcceleratorSpec*> choose_variant(std::string_view written,
                                              const AcceleratorQuery& query,
                                              std::vector<const AcceleratorSpec*> variants);

}  // namespace loadfactor::catalog

// A model whose type has no row: what its generic keys and its checkpoint say together.
#pragma once

#include <vector>

#include "catalog/import/foreign_map.h"
#include "catalog/import/import_report.h"
#include "catalog/import/stored_weights.h"
#include "catalog/spec/model_spec.h"

namespace loadfactor::catalog {

// Fills the sizes of `spec` from the keys that every decoder has, and puts what they do not
// account for into an extra called `unlisted`, so that the total is that of the checkpoint. The
// dtype of `spec` must be set. The KV cache is that of standard attention, or none if the
// checkpoint is too small to hold it; a notice says which.
void fill_from_checkpoint(ForeignMap text, const StoredWeights& stored, ModelSpec& spec,
                          std::vector<ImportNotice>& notices);

}  // namespace loadfactor::catalog

// What is taken for things that a published serving result leaves out or names in unknown words.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "validation/inference/inference_row.h"

namespace loadfactor::validation {

// Sentences such as "precision 'fp9' is not known: the model's own is taken". Rows with any are
// scored all the same.
std::vector<std::string> assumptions_of(const InferenceRow& row, const catalog::Catalog& catalog);

}  // namespace loadfactor::validation

// A model that is only described: by its size, or by its dimensions.
#pragma once

#include "catalog/spec/model_spec.h"
#include "loadfactor/scenario.h"

namespace loadfactor::engine {

// A plain model of the given dimensions: gated MLP, RMS norms and untied tables unless stated.
catalog::ModelSpec model_of_dimensions(const config::ModelDimensions& dimensions);

// The usual shape of a model of a size: head dimension 128, eight key-value heads, about 100 of
// hidden width per layer, an MLP of 3.5 times that width adjusted to meet the size within 1 %.
// With `active` a mixture of experts of which eight are active.
catalog::ModelSpec model_of_size(double parameters, double active);

}  // namespace loadfactor::engine

// The figures of one deployment under one load, each with the interval of its class.
#pragma once

#include <optional>
#include <string>

#include "loadfactor/serve.h"
#include "resolve/serve/serve_setup.h"
#include "serving/anchor.h"
#include "serving/closed_form.h"

namespace loadfactor::engine {

// What the request asks the deployment to do.
struct AskedLoad {
  serving::Load load;
  serving::LoadFigures figures;
};

// An endless load of the scenario's lengths.
serving::Load load_of(const ServeSetup& setup, serving::LoadKind kind);

void add_names(const ServeSetup& setup, const serving::Pool& pool, int replicas,
               ServeAnswer& answer);
void add_capacity(const ServeSetup& setup, const ServeInputs& request, ServeAnswer& answer);
// What the deployment does at most, under `full` load.
void add_saturated(const ServeSetup& setup, const serving::Pool& pool, const AskedLoad& full,
                   const std::optional<serving::AnchorPoint>& anchor, ServeAnswer& answer);
void add_figures(const ServeSetup& setup, const serving::Pool& pool, const AskedLoad& asked,
                 const std::optional<serving::AnchorPoint>& anchor, ServeAnswer& answer);
void add_parts(const ServeSetup& setup, const serving::Pool& pool, ServeAnswer& answer);
void add_batches(ServeSetup& setup, const ServeInputs& request, const serving::Pool& pool,
                 ServeAnswer& answer);
// Which of the things that end growth comes first.
ServeLimit binding_limit(const ServeSetup& setup, const serving::Pool& pool,
                         const serving::LoadFigures& saturated);

// Arithmetic as MFU counts it, products with weights: of steps that read so many tokens of prompts
// and write so many others, all ranks, with what the tower makes of the images or the sound among
// the prompts. Sound never goes through the layers.
Flops model_work(const serving::StepModel& step, double prompt_tokens, double written_tokens);

}  // namespace loadfactor::engine

// The layout of a deployment as answers show it.
#pragma once

#include "loadfactor/fit.h"
#include "serving/deployment.h"

namespace loadfactor::engine {

// So many replicas of one layout; `others` are GPUs beside them, such as those for prompts.
inline ServeLayout served_layout(const serving::ServingLayout& one, int replicas, int others = 0) {
  return {.tp = one.tp,
          .pp = one.pp,
          .ep = one.ep,
          .dp = one.dp,
          .cp = one.cp,
          .replicas = replicas,
          .gpus = replicas * one.gpus() + others};
}

}  // namespace loadfactor::engine

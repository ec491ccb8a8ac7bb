#include "base/layout_text.h"

#include <fmt/format.h>

namespace loadfactor {

std::string parallel_text(const TrainLayout& layout) {
  std::string text = fmt::format("tp {} × pp {} × dp {}", layout.tp, layout.pp, layout.dp);
  if (layout.cp > 1) text += fmt::format(" × cp {}", layout.cp);
  if (layout.ep > 1) text += fmt::format(", ep {}", layout.ep);
  return text;
}

}  // namespace loadfactor

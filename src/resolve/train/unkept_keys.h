// Which written keys of a layout no legal layout keeps.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "loadfactor/scenario.h"
#include "resolve/train/train_layout.h"

namespace loadfactor::engine {

// Which of schedule, chunks, ends, sharding, micro-batch and experts stand alone between what
// is written and a legal layout; where only schedule and chunks together do, both. Degrees are not
// among them: what they must divide says why.
std::vector<LayoutKey> unkept_keys(const config::Layout& asked,
                                   const std::function<bool(const config::Layout&)>& is_legal);

// What such a key asks of a layout; empty where its name says it.
std::string need_of(const LayoutKey& key);

// `vp 4 cannot be kept: …`, of all of them; empty where there are none.
std::string unkept_words(const std::vector<LayoutKey>& keys);

}  // namespace loadfactor::engine

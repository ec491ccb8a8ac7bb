// What readers of training programs share.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor::launch {

class Findings;
class GivenFlags;
struct Invocation;

// `train.layout.tp` of `tp`.
std::string layout_key(std::string_view name);

// A scenario has the time between checkpoints, which follows from that of a step. What emit wrote
// is what a plan takes by itself.
void remark_saves(const Invocation& call, const GivenFlags& flags, std::string_view name,
                  Findings& findings);

}  // namespace loadfactor::launch

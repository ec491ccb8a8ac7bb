// Colour for a terminal, if the caller wants any.
#pragma once

#include <string>
#include <string_view>

namespace loadfactor {

enum class Tone {
  kPlain,
  kGood,     // Green: it fits, it clears.
  kBad,      // Red: it does not.
  kCaution,  // Yellow: read the note.
  kDim,      // Old, hidden or of no consequence.
  kStrong,   // Headings and verdicts.
};

// `text` in the tone, or as it is if `colour` is off.
std::string paint(std::string_view text, Tone tone, bool colour);

}  // namespace loadfactor

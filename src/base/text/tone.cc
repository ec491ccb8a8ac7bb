#include "base/text/tone.h"

namespace loadfactor {
namespace {

std::string_view code_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kCaution:
      return "\x1b[33m";
    case Tone::kDim:
      return "\x1b[2m";
    case Tone::kStrong:
      return "\x1b[1m";
  }
  return "";
}

}  // namespace

std::string paint(std::string_view text, Tone tone, bool colour) {
  const std::string_view code = code_of(tone);
  if (!colour || code.empty() || text.empty()) return std::string(text);
  return std::string(code) + std::string(text) + "\x1b[0m";
}

}  // namespace loadfactor

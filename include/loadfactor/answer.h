/// What every answer carries besides its figures: notices, and what it was computed from.
#pragma once

#include <string>
#include <vector>

namespace loadfactor {

enum class Severity { kNote, kCaution };

/// Something an answer must confess: an assumption, a default, an extrapolation, a stale fact.
struct Notice {
  std::string id;  ///< Stable, lower case with hyphens.
  Severity severity = Severity::kNote;
  std::string text;
};

/// A fact that went into the answer.
struct UsedFact {
  std::string what;    ///< "memory of h100-sxm".
  std::string kind;    ///< measured | datasheet | published | assumed.
  std::string source;  ///< Ids of SOURCES.md, comma separated.
  std::string date;
  std::string where;  ///< File and line that state it.
};

}  // namespace loadfactor

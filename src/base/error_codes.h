// The register of everything that can be wrong with an input, one row each.
//
// Parsing, printing, `loadfactor explain LFnnn` and the documentation all come from this
// table. Families: 1xx layout and fit, 2xx units and magnitudes, 3xx money, 4xx names and
// gaps in the data, 5xx reading files, 6xx the command line, 9xx ours.
#pragma once

#include <span>
#include <string_view>

#include "loadfactor/result.h"

namespace loadfactor {

// NOLINTBEGIN(readability-identifier-naming): the names read as the codes do.
namespace lf {
inline constexpr int kDoesNotFit = 101;
inline constexpr int kNotDivisible = 102;
inline constexpr int kOutsideScaleUpDomain = 103;
inline constexpr int kContextTooLong = 104;
inline constexpr int kUnsupportedDtype = 105;
inline constexpr int kObjectiveLacks = 115;
inline constexpr int kNoPlan = 116;
inline constexpr int kSloOutOfReach = 120;
inline constexpr int kOverloaded = 121;
inline constexpr int kNotRequests = 130;
inline constexpr int kUnknownRouter = 131;
inline constexpr int kNothingServed = 132;
inline constexpr int kUnsoundRules = 133;
inline constexpr int kNothingToFill = 136;

inline constexpr int kSparsePeak = 201;
inline constexpr int kMissingUnit = 202;
inline constexpr int kWrongUnit = 203;
inline constexpr int kBidirectionalBandwidth = 204;
inline constexpr int kAbsurdMagnitude = 205;
inline constexpr int kNotFinite = 206;
inline constexpr int kOutOfRange = 207;
inline constexpr int kNotANumber = 208;
inline constexpr int kInconsistentFigures = 209;

inline constexpr int kNoCurrency = 301;
inline constexpr int kPriceNotFound = 302;
inline constexpr int kStalePrice = 303;
inline constexpr int kPlaceholderPrice = 304;
inline constexpr int kAmbiguousAccelerator = 305;
inline constexpr int kNoPeriod = 306;
inline constexpr int kFutureDate = 307;
inline constexpr int kNoCapacity = 308;
inline constexpr int kMixTooSmall = 309;
inline constexpr int kBadOverride = 310;
inline constexpr int kNoOptionPriced = 311;
inline constexpr int kNetworkTooLarge = 312;
inline constexpr int kNoLegalCooling = 313;

inline constexpr int kUnknownAccelerator = 401;
inline constexpr int kUnknownModel = 402;
inline constexpr int kUnknownNode = 403;
inline constexpr int kUnknownFabric = 404;
inline constexpr int kUnknownSource = 405;
inline constexpr int kAmbiguousName = 406;
inline constexpr int kUnsupportedModelType = 407;
inline constexpr int kUnknownRegion = 408;
inline constexpr int kUnknownQuantity = 409;
inline constexpr int kUnknownEngine = 410;
inline constexpr int kBadAnchor = 415;
inline constexpr int kUnknownDevice = 420;

inline constexpr int kSyntax = 501;
inline constexpr int kUnknownKey = 502;
inline constexpr int kDuplicateKey = 503;
inline constexpr int kMissingKey = 504;
inline constexpr int kWrongType = 505;
inline constexpr int kUnknownWord = 506;
inline constexpr int kTooDeep = 507;
inline constexpr int kTooLarge = 508;
inline constexpr int kBadEncoding = 509;
inline constexpr int kBadDate = 510;
inline constexpr int kWrongSchema = 511;
inline constexpr int kEmptyFile = 512;
inline constexpr int kMissingColumn = 513;
inline constexpr int kRaggedRow = 514;
inline constexpr int kDuplicateName = 515;
inline constexpr int kAnchorRefused = 516;
inline constexpr int kChecksumMismatch = 517;
inline constexpr int kNothingUsable = 518;
inline constexpr int kNameMismatch = 519;
inline constexpr int kStrayFile = 520;
inline constexpr int kContradictoryKeys = 521;
inline constexpr int kInexpressible = 522;
inline constexpr int kNothingLaunched = 523;
inline constexpr int kNotDemand = 525;
inline constexpr int kBrokenArchive = 526;
inline constexpr int kUnknownPreset = 527;
inline constexpr int kAmbiguousDates = 528;
inline constexpr int kTooManyTokens = 529;
inline constexpr int kNotAWeek = 532;
inline constexpr int kNotHonoured = 533;
inline constexpr int kUnknownMeasurement = 540;
inline constexpr int kNoMeasurement = 541;

inline constexpr int kCannotRead = 601;
inline constexpr int kCannotWrite = 602;
inline constexpr int kUsage = 603;
inline constexpr int kNoProbe = 604;
inline constexpr int kCancelled = 605;
inline constexpr int kNoMemory = 606;

inline constexpr int kInternal = 901;
}  // namespace lf
// NOLINTEND(readability-identifier-naming)

struct ErrorCodeRow {
  int code;
  ErrorKind kind;
  std::string_view title;    // What the code stands for, one line.
  std::string_view meaning;  // Why it is refused.
  std::string_view remedy;   // What to write instead, with an example.
};

std::span<const ErrorCodeRow> error_codes();

// The row of a code, or nullptr.
const ErrorCodeRow* find_error_code(int code);

}  // namespace loadfactor

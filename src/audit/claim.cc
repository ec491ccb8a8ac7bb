#include "audit/claim.h"

#include <string_view>
#include <utility>

#include "base/error_codes.h"
#include "config/reader.h"
#include "config/schema.h"

namespace loadfactor::audit {
namespace {

using config::MapReader;

constexpr int kClaimVersion = 1;
constexpr double kLargestFigure = 1e40;  // In base units.
constexpr std::array kSections{Section::kModel,  Section::kHardware, Section::kNetwork,
                               Section::kLayout, Section::kTraining, Section::kServing,
                               Section::kPower,  Section::kMoney};
constexpr std::array<config::Word<Offload>, 3> kOffloads{
    {{"none", Offload::kNone}, {"cpu", Offload::kCpu}, {"nvme", Offload::kNvme}}};
constexpr std::array<config::Word<Optimizer>, 7> kOptimizers{{{"adam", Optimizer::kAdam},
                                                              {"adamw", Optimizer::kAdam},
                                                              {"adam-8bit", Optimizer::kAdam8Bit},
                                                              {"adafactor", Optimizer::kAdafactor},
                                                              {"lion", Optimizer::kLion},
                                                              {"muon", Optimizer::kMuon},
                                                              {"sgd", Optimizer::kSgd}}};

std::optional<StatedName> read_name(MapReader& section, std::string_view key) {
  auto text = section.maybe_text(key);
  if (!text) return std::nullopt;
  return StatedName{*std::move(text), section.position_of(key)};
}

void read_figures(MapReader& section, Section which, Claim& claim) {
  for (const FigureRow& row : figures()) {
    if (row.section != which) continue;
    const auto value = section.maybe_number(row.key, {row.dimension, row.expect});
    if (!value) continue;
    if (*value < 0 || (*value == 0 && !row.may_be_zero)) {
      section.report(row.key, lf::kOutOfRange, "a claim states positive figures");
      continue;
    }
    // What follows from figures beyond these would be no number.
    if (*value > kLargestFigure || (*value > 0 && *value < 1 / kLargestFigure)) {
      section.report(row.key, lf::kOutOfRange, "nothing that can be is so large or so small");
      continue;
    }
    claim[row.figure] = StatedFigure{*value, section.position_of(row.key)};
  }
}

std::optional<catalog::Dtype> read_dtype(MapReader& section, std::string_view key) {
  const auto text = section.maybe_text(key);
  if (!text) return std::nullopt;
  const auto dtype = catalog::find_dtype(*text);
  if (!dtype) {
    section.report(key, lf::kUnknownWord, "'" + *text + "' is no number format",
                   "write bf16, fp16, fp8, …");
  }
  return dtype;
}

void read_model(MapReader& section, Claim& claim) {
  claim.model = read_name(section, "name");
  claim.fits = section.maybe_boolean("fits");
  if (const auto dtype = read_dtype(section, "precision")) {
    claim.dtype = *dtype;
    claim.dtype_stated = true;
  }
}

void read_layout(MapReader& section, Claim& claim) {
  const auto zero = section.maybe_integer("zero", {0, 3, false, "ZeRO has the stages 0 to 3"});
  if (zero) claim.zero = static_cast<int>(*zero);
  claim.offload = section.maybe_word<Offload>("offload", kOffloads);
}

void read_section(MapReader& section, Section which, Claim& claim) {
  read_figures(section, which, claim);
  if (which == Section::kModel) {
    read_model(section, claim);
  } else if (which == Section::kHardware) {
    claim.gpu = read_name(section, "gpu");
  } else if (which == Section::kNetwork) {
    claim.link = read_name(section, "link");
  } else if (which == Section::kLayout) {
    read_layout(section, claim);
  } else if (which == Section::kTraining) {
    claim.converged = section.maybe_boolean("converged").value_or(false);
    claim.optimizer = section.maybe_word<Optimizer>("optimizer", kOptimizers);
  } else if (which == Section::kServing) {
    claim.kv_dtype = read_dtype(section, "kv_precision");
    claim.speculative = section.maybe_boolean("speculative");
  } else if (which == Section::kPower) {
    claim.cooling = read_name(section, "cooling");
  } else if (which == Section::kMoney) {
    claim.cheaper = section.maybe_boolean("cheaper");
  }
  section.finish();
}

Claim read_claim(MapReader& reader) {
  Claim claim;
  claim.document = &reader.document();
  claim.position = reader.position();
  claim.name = reader.text("claim");
  claim.says = reader.maybe_text("says").value_or("");
  for (const Section which : kSections) {
    if (auto section = reader.map(name(which), false)) read_section(*section, which, claim);
  }
  return claim;
}

}  // namespace

std::vector<Claim> read_claims(const config::Document& document, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.size();
  std::vector<Claim> claims;
  MapReader reader(document, document.root, "claim", diagnostics);
  if (document.root.kind != config::NodeKind::kMap) return {};
  static_cast<void>(reader.maybe_text("source"));
  const bool several = reader.has("claims");
  check_schema(reader, several ? "claims" : "claim", kClaimVersion);
  if (several) {
    static_cast<void>(reader.maybe_text("title"));
    for (MapReader& item : reader.maps("claims")) {
      claims.push_back(read_claim(item));
      item.finish();
    }
  } else {
    claims.push_back(read_claim(reader));
  }
  reader.finish();
  if (diagnostics.size() > before) return {};
  return claims;
}

}  // namespace loadfactor::audit

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
constexpr std::array<std::string_view, 8> kSections{"model",    "hardware", "network", "layout",
                                                    "training", "serving",  "power",   "money"};

std::optional<StatedName> read_name(MapReader& section, std::string_view key) {
  auto text = section.maybe_text(key);
  if (!text) return std::nullopt;
  return StatedName{*std::move(text), section.position_of(key)};
}

void read_figures(MapReader& section, std::string_view name, Claim& claim) {
  for (const FigureRow& row : figures()) {
    if (row.section != name) continue;
    const auto value = section.maybe_number(row.key, {row.dimension, row.expect});
    if (!value) continue;
    if (*value <= 0) {
      section.report(row.key, lf::kOutOfRange, "a claim states positive figures");
      continue;
    }
    claim[row.figure] = StatedFigure{*value, section.position_of(row.key)};
  }
}

void read_dtype(MapReader& section, Claim& claim) {
  const auto text = section.maybe_text("precision");
  if (!text) return;
  const auto dtype = catalog::find_dtype(*text);
  if (!dtype) {
    section.report("precision", lf::kUnknownWord, "'" + *text + "' is no number format",
                   "write bf16, fp16, fp8, …");
    return;
  }
  claim.dtype = *dtype;
  claim.dtype_stated = true;
}

void read_section(MapReader& section, std::string_view name, Claim& claim) {
  read_figures(section, name, claim);
  if (name == "model") {
    claim.model = read_name(section, "name");
    claim.fits = section.maybe_boolean("fits");
    read_dtype(section, claim);
  } else if (name == "hardware") {
    claim.gpu = read_name(section, "gpu");
  } else if (name == "network") {
    claim.link = read_name(section, "link");
  } else if (name == "layout") {
    const auto zero = section.maybe_integer("zero", {0, 3, false, "ZeRO has the stages 0 to 3"});
    if (zero) claim.zero = static_cast<int>(*zero);
  } else if (name == "training") {
    claim.converged = section.maybe_boolean("converged").value_or(false);
  } else if (name == "power") {
    claim.cooling = read_name(section, "cooling");
  } else if (name == "money") {
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
  for (const std::string_view name : kSections) {
    if (auto section = reader.map(name, false)) read_section(*section, name, claim);
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

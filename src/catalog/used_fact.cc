#include "catalog/used_fact.h"

#include <utility>

#include <fmt/format.h>

#include "catalog/load/entry_reader.h"

namespace loadfactor::catalog {
namespace {

UsedFact fact_from(const Provenance& from) {
  UsedFact fact;
  fact.kind = std::string(text_of(from.kind));
  fact.source = fmt::format("{}", fmt::join(from.sources, ", "));
  fact.date = from.date;
  fact.where = from.line > 0 ? fmt::format("{}:{}", from.file, from.line) : from.file;
  return fact;
}

}  // namespace

std::string fact_name(std::string_view id, std::string_view entry) {
  return fmt::format("{} of {}", id, entry);
}

UsedFact used_fact(std::string_view id, std::string_view entry, const Provenance& from,
                   std::string value) {
  UsedFact fact = fact_from(from);
  fact.what = fact_name(id, entry);
  fact.value = std::move(value);
  fact.id = id;
  return fact;
}

UsedFact used_fact(const Fact& row) {
  UsedFact fact = fact_from(row.provenance);
  fact.what = row.variant.empty() ? row.name : fmt::format("{} ({})", row.name, row.variant);
  fact.value = fmt::format("{:.6g} {}", row.value, row.unit);
  fact.id = row.name;
  return fact;
}

}  // namespace loadfactor::catalog

#include "catalog/validators/price_validator.h"

#include "catalog/spec/price_book.h"

namespace loadfactor::catalog {

void validate(const PriceBook& book, const EntryCheck& check) {
  for (const auto& row : book.rent) {
    check.check_accelerator(row.provenance, row.accelerator);
    check.check_provenance(row.provenance, "rent of " + row.accelerator);
  }
  for (const auto& row : book.capex) {
    check.check_accelerator(row.provenance, row.accelerator);
    check.check_provenance(row.provenance, "price of " + row.accelerator);
  }
  for (const auto& row : book.api) {
    check.check_model(row.provenance, row.model);
    check.check_provenance(row.provenance, "price of " + row.model_id);
  }
  for (const auto& row : book.history) {
    check.check_accelerator(row.provenance, row.accelerator);
    check.check_provenance(row.provenance, "rent of " + row.accelerator);
  }
  for (const auto& row : book.ownership) {
    check.check_accelerator(row.provenance, row.accelerator);
    check.check_provenance(row.provenance, "cost of owning " + row.accelerator);
  }
  for (const auto& row : book.instances) {
    check.check_accelerator(row.provenance, row.accelerator);
    check.check_provenance(row.provenance, "instance " + row.name);
  }
}

}  // namespace loadfactor::catalog

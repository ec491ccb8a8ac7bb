// The best share of the dense peak that anyone published, from whichever column says it.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "audit/values.h"
#include "catalog/load/data_file.h"
#include "config/csv.h"

namespace loadfactor::audit {
namespace {

constexpr double kBillion = 1e9;
constexpr double kFlopsPerTflop = 1e12;

using Row = std::vector<config::CsvCell>;

// The columns of the table of published runs.
class Columns {
 public:
  explicit Columns(const config::CsvTable& table) : table_(&table) {}
  std::string_view text(const Row& row, std::string_view name) const {
    const auto column = table_->column(name);
    return column ? std::string_view(row[*column].text) : std::string_view();
  }
  std::optional<double> number(const Row& row, std::string_view name) const {
    const std::string written(text(row, name));
    if (written.empty()) return std::nullopt;
    return std::strtod(written.c_str(), nullptr);
  }

 private:
  const config::CsvTable* table_;
};

// "bf16-amp" and "int8?" begin with a format.
std::optional<catalog::Dtype> format_of(std::string_view precision) {
  return catalog::find_dtype(precision.substr(0, precision.find_first_of("-?")));
}

struct Reached {
  double share = 0;
  std::string id;
};

// What one published run reached, by the best of its columns.
double reached(const Columns& columns, const Row& row, catalog::Dtype dtype,
               const catalog::Catalog& catalog) {
  double best = columns.number(row, "mfu_percent").value_or(0) / 100;
  const auto chip = catalog.find_accelerator(columns.text(row, "accelerator"));
  if (!chip) return best;
  const double peak = (*chip)->arithmetic.rate(dtype).base();
  if (peak <= 0) return best;
  best = std::max(best, columns.number(row, "tflops").value_or(0) * kFlopsPerTflop / peak);
  const auto total = columns.number(row, "parameters_b");
  const auto active = columns.number(row, "active_b");
  const double parameters = (active ? *active : total.value_or(0)) * kBillion;
  const double tokens = columns.number(row, "tokens_per_second").value_or(0);  // Per accelerator.
  return std::max(best, 6 * parameters * tokens / peak);
}

struct Records {
  Reached wide;    // 16-bit products and wider ones.
  Reached narrow;  // With 8 bits and fewer.
};

Records make_records(const catalog::Catalog& catalog) {
  Records records;
  const catalog::DataFile* file = catalog.find_file("published/training.csv");
  if (file == nullptr) return records;
  Diagnostics ignored;
  const auto table = config::parse_csv(file->shown_as, std::string(file->text), ignored);
  if (!table) return records;
  const Columns columns(*table);
  for (const auto& row : table->rows) {
    const auto dtype = format_of(columns.text(row, "precision"));
    if (!dtype) continue;
    const double share = reached(columns, row, *dtype, catalog);
    Reached& best = catalog::bytes_per_element(*dtype) < 2.0 ? records.narrow : records.wide;
    if (share <= best.share || share > 1) continue;  // Above the peak: an error in the row.
    best = {share, std::string(columns.text(row, "id"))};
  }
  return records;
}

}  // namespace

void add_record_values(const Claim& claim, const catalog::Catalog& catalog, Values& values) {
  const Records& records = catalog.derived<Records>(make_records);
  const bool is_narrow = catalog::bytes_per_element(claim.dtype) < 2.0;
  const Reached& best = is_narrow ? records.narrow : records.wide;
  if (best.share > 0)
    values.set(Figure::kBestMfu, {best.share, false, "published/training.csv " + best.id});
}

}  // namespace loadfactor::audit

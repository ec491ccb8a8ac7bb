// Measured tables of collectives: links are fitted to them, and how well is said.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/kernels/collectives_file.h"
#include "calibrate/kernels/kernels_collectives.h"
#include "catalog/load/collective_loader.h"
#include "facade/calibrate/calibrations.h"
#include "facade/texts.h"

namespace loadfactor::facade {
namespace {

constexpr const char* kShipped = "calibration/collectives.yaml";

// Drops groups that reach beyond their link: the ranks of such a host talk through its sockets.
std::optional<Error> keep_within(const std::vector<CollectiveTables::LinkBound>& bounds,
                                 std::vector<calibrate::CollectiveSample>& samples) {
  for (const auto& [link, ranks] : bounds) {
    const bool known =
        std::any_of(samples.begin(), samples.end(),
                    [&name = link](const auto& sample) { return sample.link.name == name; });
    if (ranks < 2 || !known)
      return Error{
          .code = lf::kUsage,
          .message = fmt::format("--most '{}={}' names no link of the tables", link, ranks),
          .hint = "write LINK=RANKS, e.g. --most pcie-4-x16=2"};
    std::erase_if(samples, [&name = link, most = ranks](const calibrate::CollectiveSample& sample) {
      return sample.link.name == name && sample.ranks > most;
    });
  }
  return std::nullopt;
}

// One row per fit: how many points, and how far off sizes are that were left out.
std::string error_table(const std::vector<catalog::CollectiveRow>& rows) {
  std::string text =
      "| link | algorithm | operation | points | rate | median | p90 |\n"
      "|---|---|---|---:|---:|---:|---:|\n";
  for (const auto& row : rows)
    text += fmt::format("| {} | {} | {} | {} | {:.3f} | {:.1f} % | {:.1f} % |\n", row.link,
                        row.algorithm, row.operation, row.points, row.fraction, 100 * row.median,
                        100 * row.p90);
  return text;
}

// What groups lose over a wiring, for links whose tables have groups of one size.
double usual_loss(const catalog::CollectiveTable& shipped, catalog::Topology wiring) {
  for (const auto& row : shipped.rows)
    if (row.link == catalog::name(wiring) && row.algorithm == "ring") return row.loss;
  return 0.0;
}

std::vector<calibrate::CollectiveSample> read_samples(const Desk& desk,
                                                      const CollectiveTables& tables,
                                                      Diagnostics& diagnostics) {
  std::vector<calibrate::KernelTableFile> files;
  for (const MeasuredTable& table : tables.tables)
    files.push_back({table.file.shown(), std::string(table.file.bytes), table.source, ""});
  const auto* file = desk.engine.catalog().find_file(kShipped);
  const auto shipped =
      file == nullptr ? catalog::CollectiveTable{} : catalog::load_collectives(*file, diagnostics);
  const auto resolve = [&](std::string_view system) -> std::optional<calibrate::MeasuredLink> {
    const auto chip = desk.engine.catalog().find_accelerator(system);
    if (!chip) return std::nullopt;
    const auto& link = (*chip)->scale_up;
    return calibrate::MeasuredLink{link.link, link.bandwidth,
                                   link.topology == catalog::Topology::kSwitch,
                                   usual_loss(shipped, link.topology)};
  };
  return calibrate::read_collective_tables(files, resolve, diagnostics);
}

}  // namespace

std::optional<Answer> calibrate(const Desk& desk, const Settings& /*settings*/,
                                const CollectiveTables& tables) {
  Diagnostics diagnostics;
  auto samples = read_samples(desk, tables, diagnostics);
  if (!diagnostics.empty()) return desk.refuse(diagnostics);
  if (auto wrong = keep_within(tables.bounds, samples)) return desk.refuse(*std::move(wrong));
  if (samples.empty())
    return desk.refuse(Error{.code = lf::kNothingUsable,
                             .message = "no row of the tables is a collective we know",
                             .hint = "columns: system, op_name, nccl_dtype, num_gpus, "
                                     "message_size, latency"});
  const auto rows = calibrate::fit_collectives(samples);
  const auto* shipped = desk.engine.catalog().find_file(kShipped);
  const std::string text = shipped == nullptr ? "schema: collectives/1\nrows:\n" : shipped->text;
  return text_answer(
      "calibrate", {error_table(rows)},
      {.files = {{"collectives.yaml", calibrate::replace_fitted_rows(text, rows, tables.date)}}});
}

}  // namespace loadfactor::facade

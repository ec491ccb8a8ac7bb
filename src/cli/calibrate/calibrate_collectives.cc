#include "cli/calibrate/calibrate_collectives.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "calibrate/kernels/collectives_file.h"
#include "calibrate/kernels/kernels_collectives.h"
#include "catalog/catalog.h"
#include "cli/session/files.h"
#include "cli/session/session.h"

namespace loadfactor::cli {
namespace {

constexpr const char* kShipped = "calibration/collectives.yaml";

struct CollectiveOptions {
  std::vector<std::string> files;  // FILE or SOURCE=FILE.
  std::vector<std::string> most;   // LINK=RANKS.
  std::string date;
  std::string folder;
};

Result<std::vector<calibrate::KernelTableFile>> read_tables(const CollectiveOptions& options) {
  std::vector<calibrate::KernelTableFile> tables;
  for (const std::string& word : options.files) {
    const auto sign = word.find('=');
    const bool sourced = sign != std::string::npos;
    const std::string path = sourced ? word.substr(sign + 1) : word;
    TRY(auto text, read_file(path));
    tables.push_back(
        {path, std::move(text), sourced ? word.substr(0, sign) : "own-measurement", ""});
  }
  return tables;
}

// Drops groups that reach beyond their link: the ranks of such a host talk through its sockets.
std::optional<Error> keep_within(const std::vector<std::string>& most,
                                 std::vector<calibrate::CollectiveSample>& samples) {
  for (const std::string& word : most) {
    const auto sign = std::min(word.find('='), word.size());
    const std::string link = word.substr(0, sign);
    const int ranks = sign < word.size() ? std::atoi(word.c_str() + sign + 1) : 0;
    const bool known = std::any_of(samples.begin(), samples.end(),
                                   [&](const auto& sample) { return sample.link.name == link; });
    if (ranks < 2 || !known)
      return Error{.code = lf::kUsage,
                   .message = fmt::format("--most '{}' names no link of the tables", word),
                   .hint = "write LINK=RANKS, e.g. --most pcie-4-x16=2"};
    std::erase_if(samples, [&](const calibrate::CollectiveSample& sample) {
      return sample.link.name == link && sample.ranks > ranks;
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

void run_collectives(Session& session, const CollectiveOptions& options) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const auto tables = read_tables(options);
  if (!tables) return session.fail(tables.error());
  const auto resolve = [&](std::string_view system) -> std::optional<calibrate::MeasuredLink> {
    const auto chip = engine->catalog().find_accelerator(system);
    if (!chip) return std::nullopt;
    return calibrate::MeasuredLink{(*chip)->scale_up.link, (*chip)->scale_up.bandwidth};
  };
  Diagnostics diagnostics;
  auto samples = calibrate::read_collective_tables(*tables, resolve, diagnostics);
  if (!diagnostics.empty()) return session.fail(diagnostics);
  if (const auto wrong = keep_within(options.most, samples)) return session.fail(*wrong);
  if (samples.empty())
    return session.fail(Error{.code = lf::kNothingUsable,
                              .message = "no row of the tables is a collective we know",
                              .hint = "columns: system, op_name, nccl_dtype, num_gpus, "
                                      "message_size, latency"});
  const auto rows = calibrate::fit_collectives(samples);
  if (!options.folder.empty()) {
    const auto* shipped = engine->catalog().find_file(kShipped);
    const std::string text = shipped == nullptr ? "schema: collectives/1\nrows:\n" : shipped->text;
    const auto written = write_file(options.folder + "/collectives.yaml",
                                    calibrate::replace_fitted_rows(text, rows, options.date));
    if (!written) return session.fail(written.error());
  }
  session.write(error_table(rows));
}

}  // namespace

void add_calibrate_collectives(CLI::App& calibrate, Session& session) {
  CLI::App* verb = calibrate.add_subcommand("collectives",
                                            "fit collectives to measured tables, and say how well");
  session.add_common_options(*verb);
  auto options = std::make_shared<CollectiveOptions>();
  verb->add_option("files", options->files, "tables, as FILE or SOURCE=FILE")->required();
  verb->add_option("--date", options->date, "when it was measured, YYYY or YYYY-MM")
      ->default_val("2026");
  verb->add_option("--most", options->most, "LINK=RANKS: larger groups leave that link")
      ->type_name("LINK=RANKS")
      ->allow_extra_args(false);  // What follows is a table.
  verb->add_option("--folder", options->folder, "writes <folder>/collectives.yaml")
      ->type_name("DIR");
  verb->callback([&session, options] { run_collectives(session, *options); });
}

}  // namespace loadfactor::cli

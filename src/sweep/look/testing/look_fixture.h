// Results whose best, front and map are known.
#pragma once

#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "sweep/look/look.h"

namespace loadfactor::sweep {

namespace fs = std::filesystem;

class LookTest : public testing::Test {
 protected:
  void SetUp() override { fs::remove(path_); }
  void TearDown() override { fs::remove(path_); }

  // traffic × price, the verdict by a line between them.
  static Identity identity() {
    Identity out{.name = "x", .digest = "d", .version = "1", .cases = 40};
    out.columns = {{"model", ColumnKind::kAxis, "", "serve.model"},
                   {"size", ColumnKind::kAxis, "", "limits.gpus"},
                   {"traffic", ColumnKind::kAxis, "", "traffic"},
                   {"price", ColumnKind::kAxis, "USD/token", "price"},
                   {"decision", ColumnKind::kFigure, "", "decision"},
                   {"cost", ColumnKind::kFigure, "USD/month", "cost"},
                   {"load", ColumnKind::kFigure, "1", "load_factor"}};
    out.remarks = {{"least", "cost"},      {"pareto", "cost"},   {"pareto", "-load"},
                   {"phase.x", "traffic"}, {"phase.y", "price"}, {"phase.shows", "decision"}};
    return out;
  }
  static CaseRow row(std::int64_t number) {
    const std::int64_t model = number / 20;
    const std::int64_t traffic = number / 4 % 5;
    const std::int64_t price = number % 4;
    CaseRow out{.number = number};
    const double scale = std::pow(10.0, static_cast<double>(traffic));
    out.cells = {std::string(model == 0 ? "small" : "large"),
                 model == 0 ? std::int64_t{8} : 64,
                 scale,
                 static_cast<double>(price + 1) * 1e-6,
                 std::string(traffic + price > 4 ? "own GPUs" : "use the API"),
                 scale * static_cast<double>(price + 1),
                 static_cast<double>(traffic) / 5};
    out.edits = "{\"serve.model\": \"" + std::string(model == 0 ? "small" : "large") +
                "\", \"limits.gpus\": \"[8]\", \"traffic\": \"" + std::to_string(traffic) +
                " M\", \"price\": \"" + std::to_string(price + 1) + " USD/M tokens\"}";
    if (number % 20 == 19) {
      out.status = CaseStatus::kInfeasible;
      out.code = 102;
      out.error = "tp " + std::to_string(number) + " does not divide 64 heads";
      for (std::size_t i = 4; i < 7; ++i) out.cells[i] = std::monostate();
    }
    return out;
  }
  Look look(const Identity& of, const std::vector<CaseRow>& rows) const {
    fs::remove(path_);
    auto results = Results::write_to(path_, of);
    EXPECT_TRUE(results.has_value());
    std::vector<std::pair<CaseRow, double>> timed;
    for (const CaseRow& each : rows) timed.emplace_back(each, 0.1);
    EXPECT_TRUE(results->add(timed, false).has_value());
    const auto found = look_at(*results);
    EXPECT_TRUE(found.has_value()) << found.error().message;
    return found ? *found : Look();
  }
  static std::vector<CaseRow> all() {
    std::vector<CaseRow> rows;
    for (std::int64_t i = 0; i < 40; ++i) rows.push_back(row(i));
    return rows;
  }

  std::string path_ =
      (fs::temp_directory_path() / ("lf-look-" + std::to_string(getpid()) + ".sqlite")).string();
};

}  // namespace loadfactor::sweep

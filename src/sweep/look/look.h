// What stands out in the results of a sweep: the best cases, the trade-offs, where the verdict
// changes, what matters and what failed.
//
// Rows are read three times and held one at a time, so that a million of them need no more memory
// than what is shown.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "loadfactor/result.h"
#include "sweep/samples.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

// A figure, and which of its values is better.
struct Aim {
  std::size_t column = 0;  // Its place among the identity's columns.
  bool is_more_better = false;
};

// An axis with the values that it takes.
struct SeenAxis {
  std::size_t column = 0;
  bool is_number = false;
  bool is_log = false;              // Its values lie evenly by their ratios.
  bool is_binned = false;           // Too many values: bins of equal width.
  bool follows = false;             // Another axis to its left decides it.
  bool is_idle = false;             // It changes no figure.
  std::vector<CellValue> values;    // Numbers ascending, words as they come; lower ends of bins.
  std::vector<std::string> labels;  // As the sweep writes them.
  std::pair<double, double> range{0, 0};
  std::string unit;  // The one that all its values are written in; blank where they differ.
  double scale = 1;  // One of that unit, in the unit of the column.

  bool varies() const { return values.size() > 1; }
};

// How far apart the numbers of a column are.
struct Spread {
  double least = 0;  // The least of their sizes, but for zeros.
  double most = 0;
  bool is_whole = true;

  void take(double number);
};

// Whether a column holds the unit of a figure, where each answer tells its own.
inline bool is_unit(const ResultColumn& column) {
  return column.kind == ColumnKind::kFigure && column.meaning.ends_with(".unit");
}

struct LookRow {
  std::int64_t number = 0;
  std::vector<CellValue> cells;
  // On a front: other cases with the same figures, the first of them by their numbers.
  std::vector<std::int64_t> alike;
  std::int64_t more_alike = 0;

  std::int64_t cases() const { return 1 + std::ssize(alike) + more_alike; }
};

struct Front {
  std::vector<Aim> aims;        // Two or more.
  std::vector<LookRow> front;   // What nothing beats in all of them, by the first aim.
  std::vector<LookRow> others;  // Some of the rest, evenly taken.
  std::int64_t beaten = 0;      // How many the rest are.

  std::int64_t cases() const {
    std::int64_t out = 0;
    for (const LookRow& row : front) out += row.cases();
    return out;
  }
};

// What is shown at a place of the map: the most frequent word of its cases, or the mean of their
// numbers.
struct PhaseCell {
  std::size_t x = 0;
  std::size_t y = 0;
  std::int64_t cases = 0;
  std::string word;  // Empty where it is a number.
  double number = 0;
  std::int64_t numbers = 0;       // Cases that it is the mean of.
  double share = 1;               // The share of the cases that say so, or that have a number.
  std::vector<std::string> tied;  // Further words that as many cases say.
};

struct PhasePanel {
  std::string name;  // The values of the other axes; empty where there are none.
  std::vector<PhaseCell> cells;
};

struct PhaseMap {
  std::size_t x = 0;  // Numbers of axes.
  std::size_t y = 0;
  std::optional<std::size_t> shows;  // A figure; none: what became of the cases.
  bool is_number = false;
  std::pair<double, double> range{0, 0};
  Spread spread;                   // How the numbers that are shown lie.
  std::vector<std::string> words;  // Every word, the most frequent first.
  std::vector<PhasePanel> panels;
  std::int64_t panels_left_out = 0;
};

struct Influence {
  std::size_t figure = 0;
  std::vector<std::size_t> over;  // Columns of the sampled axes.
  SobolIndices indices;
  std::optional<LookRow>
      slice;  // Where other axes stand beside the sample: a case at their values.
};

struct FailedCases {
  CaseStatus status = CaseStatus::kError;
  int code = 0;
  std::string reason;  // Why the first of them failed.
  std::int64_t count = 0;
  std::int64_t example = 0;  // Its number.
};

struct Look {
  Identity identity;
  Tally tally;
  std::vector<Spread> spreads;           // By column.
  bool has_filters = false;              // Which leave cases out;
  std::optional<std::int64_t> counting;  // how many count, where that was counted.
  std::vector<SeenAxis> axes;
  std::optional<Aim> goal;
  std::set<std::size_t> not_numbers;  // Columns that the sweep aims at and that hold words.
  std::vector<LookRow> best;
  std::int64_t as_good = 0;  // Cases that are as good as the first of them.
  std::optional<Front> front;
  std::vector<std::size_t> lines_over;  // Columns of the parallel coordinates.
  std::vector<LookRow> lines;
  std::optional<PhaseMap> phase;
  std::vector<Influence> influences;
  std::int64_t slices_left_out = 0;   // Further values of axes beside the sample.
  std::int64_t without_figure = 0;    // Cases of a sample that lack what indices are asked of.
  std::int64_t sample_open = 0;       // Cases of a sample for indices that are not done.
  bool has_filtered_sample = false;   // A sample for indices, of which filters took cases out.
  std::vector<FailedCases> failures;  // The most frequent first.
  std::vector<std::size_t> idle;      // Columns of axes that change no figure.
};

// What the sweep asks to be shown, and where it says nothing what its figures suggest: less is
// better of money, of time and of GPUs, and more of all else. LF517 where a row is damaged, LF506
// where a name is no column.
Result<Look> look_at(const Results& results);

inline constexpr std::size_t kBestShown = 10;
inline constexpr std::size_t kMostAlike = 4;
inline constexpr std::size_t kMostPhaseValues = 24;
inline constexpr std::size_t kMostPanels = 12;
inline constexpr std::int64_t kMostSlices = 12;

// Whether two figures are one: the last bits of a sum are no difference.
bool is_same_figure(double a, double b);

// A number, where the cell is one.
std::optional<double> number_in(const CellValue& cell);

}  // namespace loadfactor::sweep

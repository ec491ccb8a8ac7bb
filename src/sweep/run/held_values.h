// What the cases have in a column, and whether a comparison of a filter can tell them apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loadfactor/result.h"
#include "sweep/filter.h"
#include "sweep/store/results.h"

namespace loadfactor::sweep {

class HeldValues {
 public:
  // `currency` is that of amounts; empty: US dollars.
  HeldValues(ResultColumn column, const std::vector<CellValue>& cells, std::string currency);

  // LF506 for a word where numbers are, a number where words are, a word that no case has or a unit
  // of something else.
  std::optional<Error> misfit(const Comparison& comparison) const;
  // LF207 for what holds for every case, or for none.
  std::optional<Error> decides_nothing(const Comparison& comparison) const;

 private:
  std::optional<Error> misfit_of_word(const std::string& word) const;
  std::optional<Error> misfit_of_unit(const Dimension& dimension) const;
  // Some of the words, in quotes.
  std::string some_words() const;
  // A number with the unit of the column.
  std::string text_of(double number) const;

  ResultColumn column_;
  std::string currency_;
  std::vector<FilterValue> values_;  // Each once.
  std::vector<std::string> words_;
  std::vector<double> numbers_;  // Ascending.
};

}  // namespace loadfactor::sweep

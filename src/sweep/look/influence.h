// Which axes matter, by Sobol's indices.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "sweep/look/look.h"
#include "sweep/look/wishes.h"

namespace loadfactor::sweep {

// Values of a Saltelli design, by the number of their case. Where other axes stand beside the
// sample, all of it comes once for each of their values, in one piece: the sample varies fastest.
class InfluenceMaker {
 public:
  InfluenceMaker(const Wishes& wishes, const Identity& identity);
  void take(const CaseRow& row);
  std::int64_t left_out() const { return left_out_; }
  // Cases of the samples that have no row yet.
  std::int64_t open() const;
  // The most cases of one sample that have no such figure.
  std::int64_t without_figure() const;
  std::vector<Influence> finish() const;

 private:
  struct Slice {
    std::optional<LookRow> first;
    std::int64_t done = 0;
    std::map<std::size_t, std::vector<double>> values;  // By the column of the figure.
    std::map<std::size_t, std::int64_t> without;        // Cases that have none of it.
  };
  std::vector<std::size_t> over_;
  std::int64_t points_ = 0;
  bool is_whole_ = true;
  std::int64_t left_out_ = 0;
  std::set<std::size_t> columns_;
  std::set<std::size_t> times_;
  std::vector<Slice> slices_;
};

}  // namespace loadfactor::sweep

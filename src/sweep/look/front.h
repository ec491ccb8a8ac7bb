// Cases that no other beats in everything, kept as rows come.
#pragma once

#include <vector>

#include "sweep/look/look.h"

namespace loadfactor::sweep {

class FrontMaker {
 public:
  // Takes every `stride`-th of the beaten ones along.
  FrontMaker(std::vector<Aim> aims, std::int64_t stride);

  void take(const CaseRow& row);
  Front finish();

 private:
  struct Point {
    std::vector<double> figures;  // Less is better in each.
    LookRow row;
  };
  void put_aside(const LookRow& row);

  std::vector<Aim> aims_;
  std::int64_t stride_;
  std::int64_t beaten_ = 0;
  std::vector<Point> front_;
  std::vector<LookRow> others_;
};

// The first `kBestShown` cases by one figure.
class BestMaker {
 public:
  explicit BestMaker(Aim aim) : aim_(aim) {}

  void take(const CaseRow& row);
  // How many others are as good as the best.
  std::int64_t as_good() const { return as_good_; }
  std::vector<LookRow> finish();

 private:
  struct Place {
    double figure = 0;  // Less is better.
    LookRow row;
  };
  Aim aim_;
  std::vector<Place> best_;
  std::int64_t as_good_ = 0;
};

}  // namespace loadfactor::sweep

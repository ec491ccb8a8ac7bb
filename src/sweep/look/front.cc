#include "sweep/look/front.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace loadfactor::sweep {
namespace {

std::optional<double> figure_of(const CaseRow& row, const Aim& aim) {
  const auto number = number_in(row.cells[aim.column]);
  if (!number) return std::nullopt;
  return aim.is_more_better ? -*number : *number;
}

void add_alike(LookRow& row, std::int64_t number) {
  if (row.alike.size() < kMostAlike)
    row.alike.push_back(number);
  else
    ++row.more_alike;
}

// Whether `a` is as good as `b` in everything and better in something.
bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool is_better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_same_figure(a[i], b[i])) continue;
    if (a[i] > b[i]) return false;
    is_better = true;
  }
  return is_better;
}

}  // namespace

bool is_same_figure(double a, double b) {
  constexpr double kSame = 1e-9;
  return std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b));
}

FrontMaker::FrontMaker(std::vector<Aim> aims, std::int64_t stride)
    : aims_(std::move(aims)), stride_(std::max<std::int64_t>(1, stride)) {}

void FrontMaker::put_aside(const LookRow& row) {
  if (beaten_ % stride_ == 0) others_.push_back(row);
  beaten_ += row.cases();
}

void FrontMaker::take(const CaseRow& row) {
  if (row.status != CaseStatus::kAnswer) return;
  Point point{.row = {row.number, row.cells}};
  for (const Aim& aim : aims_) {
    const auto figure = figure_of(row, aim);
    if (!figure) return;
    point.figures.push_back(*figure);
  }
  const bool is_beaten = std::any_of(front_.begin(), front_.end(), [&](const Point& other) {
    return beats(other.figures, point.figures);
  });
  if (is_beaten) return put_aside(point.row);
  const auto same = std::find_if(front_.begin(), front_.end(), [&](const Point& other) {
    return std::equal(other.figures.begin(), other.figures.end(), point.figures.begin(),
                      is_same_figure);
  });
  if (same != front_.end()) return add_alike(same->row, row.number);
  std::erase_if(front_, [&](const Point& other) {
    const bool goes = beats(point.figures, other.figures);
    if (goes) put_aside(other.row);
    return goes;
  });
  front_.push_back(std::move(point));
}

Front FrontMaker::finish() {
  std::sort(front_.begin(), front_.end(), [](const Point& a, const Point& b) {
    return a.figures != b.figures ? a.figures < b.figures : a.row.number < b.row.number;
  });
  Front out{.aims = aims_, .others = std::move(others_), .beaten = beaten_};
  for (Point& point : front_) out.front.push_back(std::move(point.row));
  return out;
}

void BestMaker::take(const CaseRow& row) {
  const auto figure = figure_of(row, aim_);
  if (!figure || row.status != CaseStatus::kAnswer) return;
  if (!best_.empty() && is_same_figure(*figure, best_.front().figure)) ++as_good_;
  // Rows come by their numbers: among equals the first stays first.
  const auto at = std::find_if(best_.begin(), best_.end(), [&](const Place& place) {
    return *figure < place.figure && !is_same_figure(*figure, place.figure);
  });
  if (at == best_.begin()) as_good_ = 0;
  if (at == best_.end() && best_.size() >= kBestShown) return;
  best_.insert(at, {*figure, {row.number, row.cells}});
  if (best_.size() > kBestShown) best_.pop_back();
}

std::vector<LookRow> BestMaker::finish() {
  std::vector<LookRow> out;
  for (Place& place : best_) out.push_back(std::move(place.row));
  return out;
}

}  // namespace loadfactor::sweep

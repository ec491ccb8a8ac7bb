// The parts of a plan's page, each as docs/page.md describes it. A part that says nothing is null.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.h"
#include "loadfactor/value.h"
#include "report/page/definitions.h"
#include "report/plan/page/page_ways.h"

namespace loadfactor::report {

// What all parts are made of.
struct PageFacts {
  const engine::PlanAnswer& answer;
  const PageWays& ways;
  std::optional<PageFlip> flip;
  std::string file;  // The scenario, as it was asked for.

  bool is_run() const { return answer.is_training; }
  std::string_view per() const { return is_run() ? "for the run" : "a month"; }
  // Today's volume in the page's unit, and that of a place of the table.
  double here() const;
  double volume(double x) const;
  // `requests`, or `tokens` where they are not counted.
  std::string unit() const;
  // `9.6 M requests a month`, `49 %`.
  std::string place_words(double x) const;
};

// First screen.
std::string page_decision(const PageFacts& facts);
Value page_lead(const PageFacts& facts);
Value page_tiles(const PageFacts& facts);
Value page_table(const PageFacts& facts);

// The chart, what its purchase was spread with, and the sliders.
Value page_chart(const PageFacts& facts);
Value page_own(const PageFacts& facts);
Value page_sliders(const PageFacts& facts);
// The places on the axis of a training run, or of a service.
Value page_levers(const PageFacts& facts);

// What follows.
Value page_sizes(const PageFacts& facts);
Value page_week(const PageFacts& facts);
Value page_full(const PageFacts& facts);
// With the meaning of those of the words that stand in it.
Value page_engineering(const PageFacts& facts, const std::vector<PageWord>& words);
Value page_rests(const PageFacts& facts);
Value page_before(const PageFacts& facts);
Value page_again(const PageFacts& facts);
Value page_definitions(const PageFacts& facts);

// A plan that is not feasible.
std::string infeasible_decision(const engine::PlanAnswer& answer);
Value page_limits(const PageFacts& facts);
Value page_ways_out(const PageFacts& facts);

}  // namespace loadfactor::report

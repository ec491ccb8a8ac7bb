// The verbs behind the façade: each answers its question, or says everything that is wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "loadfactor/ask.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {

// LF605.
Error cancelled();

// What all of them need.
struct Desk {
  const Engine& engine;
  const Progress& progress;
  Diagnostics& diagnostics;

  bool is_timed() const { return static_cast<bool>(progress.cpu_seconds()); }
  double now() const { return is_timed() ? progress.cpu_seconds()() : 0; }
  // Tells how far a part of the question is, between two shares of the whole, and whether it goes
  // on; called before each row.
  std::function<bool(std::size_t done, std::size_t all)> watch(double from, double to) const {
    return [this, from, to](std::size_t done, std::size_t all) {
      const double part = static_cast<double>(done) / static_cast<double>(all);
      progress.report(from + (to - from) * part);
      return !progress.is_cancelled();
    };
  }
  std::nullopt_t refuse(Error error) const {
    diagnostics.add(std::move(error));
    return std::nullopt;
  }
};

std::optional<Answer> ask(const Desk& desk, const PlanQuestion& question);
std::optional<Answer> ask(const Desk& desk, const FitQuestion& question);
std::optional<Answer> ask(const Desk& desk, const TrainQuestion& question);
std::optional<Answer> ask(const Desk& desk, const SearchQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ScaleQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ServeQuestion& question);
std::optional<Answer> ask(const Desk& desk, const SimulateQuestion& question);
std::optional<Answer> ask(const Desk& desk, const SizeQuestion& question);
std::optional<Answer> ask(const Desk& desk, const FillQuestion& question);
std::optional<Answer> ask(const Desk& desk, const CostQuestion& question);
std::optional<Answer> ask(const Desk& desk, const DemandQuestion& question);
std::optional<Answer> ask(const Desk& desk, const AuditQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ExplainQuestion& question);
std::optional<Answer> ask(const Desk& desk, const DiffQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ValidateQuestion& question);
std::optional<Answer> ask(const Desk& desk, const CatalogQuestion& question);

}  // namespace loadfactor::facade

// The verbs behind the façade: each answers its question, or says everything that is wrong.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

#include "engine/core.h"
#include "loadfactor/ask.h"
#include "loadfactor/engine.h"

namespace loadfactor::facade {

// LF605: it was cancelled before there was an answer.
Error cancelled();

// What all of them need.
struct Desk {
  const engine::Core& engine;
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
  std::nullopt_t refuse(const Diagnostics& errors) const {
    diagnostics.add_all(errors);
    return std::nullopt;
  }
  // The same for steps of an answer, which are made or not.
  bool fail(Error error) const { return diagnostics.add(std::move(error)), false; }
  bool fail(const Diagnostics& errors) const { return diagnostics.add_all(errors), false; }
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
std::optional<Answer> ask(const Desk& desk, const CalibrateQuestion& question);
std::optional<Answer> ask(const Desk& desk, const CatalogQuestion& question);
std::optional<Answer> ask(const Desk& desk, const EmitQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ReadQuestion& question);
std::optional<Answer> ask(const Desk& desk, const ObserveQuestion& question);
std::optional<Answer> ask(const Desk& desk, const FleetQuestion& question);

}  // namespace loadfactor::facade

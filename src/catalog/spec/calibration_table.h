// What was fitted to measurements of one chip, as the files of data/calibration state it.
//
// The words for kernels and formats are checked by whoever builds a model from the table.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "catalog/spec/provenance.h"
#include "loadfactor/quantity.h"

namespace loadfactor::catalog {

struct CalibratedParameters {
  double sustained = 0.0;  // Share of the dense peak rate.
  double half = 0.0;       // Depth or length at which half of `sustained` is reached.
  double tile_cost = 0.0;
  double wave_paid = 0.0;
  double split = 0.0;
  double memory = 0.0;  // Share of the peak bandwidth.
  Seconds fixed;
};

// A table of corrections on three logarithmic axes, the last running fastest.
struct CalibratedCorrection {
  std::array<double, 3> origin{};  // Binary logarithm of the first node.
  std::array<double, 3> step{};
  std::array<int, 3> nodes{};
  std::vector<double> log;  // Natural logarithm of the factor.
};

// |error| of the fit, and the 5 and 95 % points of log(measured / predicted).
struct CalibratedSpread {
  double median = 0.0;
  double p90 = 0.0;
  double low = 0.0;
  double high = 0.0;
};

struct CalibratedKernel {
  std::string kernel;
  std::string dtype;
  std::string variant;
  CalibratedParameters parameters;
  std::optional<CalibratedCorrection> correction;
  CalibratedSpread in_sample;
  CalibratedSpread held_out;  // By leaving shapes out.
  int points = 0;
  Provenance provenance;
};

struct CalibratedLaunch {
  Seconds eager;     // From one launch to the next, by an interpreter.
  Seconds compiled;  // By compiled host code.
  Seconds graph;     // Inside a captured graph.
  Provenance provenance;
};

// A load that was held long enough for the clock to settle.
struct CalibratedLoad {
  std::string kernel;
  std::string dtype;
  Watts compute;  // Drawn at the full clock, were it allowed.
  Watts memory;
  double burst = 1.0;  // Share of the full clock in the kernel tables.
  // Every kernel of the table was met in a burst: in a step, whose load lasts, they run slower.
  bool bursts = false;
};

struct CalibratedPower {
  Watts limit;
  Watts idle;
  Seconds window;
  std::vector<CalibratedLoad> loads;
  Provenance provenance;
};

struct CalibrationTable {
  std::string chip;
  std::vector<CalibratedKernel> kernels;
  std::optional<CalibratedLaunch> launch;
  std::optional<CalibratedPower> power;
};

}  // namespace loadfactor::catalog

// Demand as values: requests one by one, or a rate by windows, or jobs of a training cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "demand/stamp.h"
#include "loadfactor/quantity.h"

namespace loadfactor::demand {

// Sixteen bytes, because there are millions.
struct Request {
  Nanoseconds at = 0;  // Since the trace's origin.
  std::int32_t input = 0;
  std::int32_t output = 0;

  friend bool operator==(const Request&, const Request&) = default;
};

// Which blocks of its prompt a request shares with others: ids of equal blocks are equal.
struct PrefixBlocks {
  int block_tokens = 512;
  std::vector<std::uint32_t> first;  // Where a request's ids begin; one more than requests.
  std::vector<std::uint32_t> ids;

  bool empty() const { return ids.empty(); }
};

// Invariants: `requests` is in time order and begins at 0 or later; `clients` and `sessions` are
// empty or as long as `requests`; `prefixes.first` is empty or one longer.
struct Trace {
  std::vector<Request> requests;
  bool is_timed = true;       // Otherwise lengths only.
  bool has_calendar = false;  // Whether `origin` counts from 1970.
  Nanoseconds origin = 0;
  std::vector<std::int32_t> clients;   // Small numbers in order of appearance.
  std::vector<std::int32_t> sessions;  // Small numbers in order of appearance.
  PrefixBlocks prefixes;

  // From the first arrival to the last.
  Seconds span() const;
  std::size_t size() const { return requests.size(); }
};

// A stretch of time at one mean rate.
struct RateWindow {
  Nanoseconds start = 0;  // Since the profile's origin.
  Nanoseconds length = 0;
  Hertz rate;
  double cv = 1;  // Variation of the gaps between arrivals; 1 where the file is silent.
};

// What most monitoring keeps. Windows are in time order and do not overlap; holes between them
// are missing data, not silence.
struct RateProfile {
  std::vector<RateWindow> windows;
  bool has_calendar = false;
  Nanoseconds origin = 0;
  // Mean lengths, 0 where the file does not say.
  Tokens mean_input;
  Tokens mean_output;

  Seconds span() const;
};

// A job of a training cluster.
struct Job {
  Nanoseconds submit = 0;  // Since the trace's origin.
  Nanoseconds start = 0;
  Nanoseconds end = 0;
  std::int32_t gpus = 0;
  bool succeeded = true;  // Whether it reached its end; only where is_over.
  bool is_over = true;    // False while it runs and where the file has no state.

  friend bool operator==(const Job&, const Job&) = default;
};

struct JobTrace {
  std::vector<Job> jobs;  // In order of submission.
  bool has_calendar = false;
  Nanoseconds origin = 0;
  bool knows_start = true;  // Otherwise jobs are taken to start when submitted.
  bool knows_state = false;
};

// Puts the requests, and what belongs to them, in time order and moves the origin to the first.
void put_in_order(Trace& trace);

// `factor` times as many requests over the same time. Requests are repeated, and their copies
// spread over the time until the next one, or every so many are left out; which ones depends on
// their place alone. Prefixes stay those of the copied request.
Trace scaled(const Trace& trace, double factor);
// `factor` times the rate of every window.
RateProfile scaled(RateProfile profile, double factor);

// The same requests `factor` times as dense in time.
Trace compressed(const Trace& trace, double factor);

// Requests of several traces over each other, in time order: by their dates where all have some,
// by their stamps where none has, else they all begin together. Clients and sessions stay apart;
// prefixes are kept where every trace has them, ids of different traces staying apart.
Trace merged(const std::vector<Trace>& traces);

// Arrivals that were stamped in batches every `grain`, spread at random over the time until the
// next, since their true times are not known; the order within a batch is kept.
Trace spread(const Trace& trace, Seconds grain, std::uint64_t seed = 1);

}  // namespace loadfactor::demand

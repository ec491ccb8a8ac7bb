// Requests made from a traffic model, in time order and in any quantity.
#pragma once

#include <cstdint>
#include <queue>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "demand/rate_path.h"
#include "demand/trace.h"
#include "demand/traffic_model.h"

namespace loadfactor::demand {

// Owners of random streams.
inline constexpr std::string_view kArrivalDraws = "traffic arrivals";
inline constexpr std::string_view kLengthDraws = "traffic lengths";

// A gap of mean 1 between two requests.
double renewal_gap(RandomStream& stream, double cv);

// Pulls one request after another; memory does not grow with time. Same model and seed, same
// requests, however they are pulled.
class TrafficGenerator {
 public:
  TrafficGenerator(const TrafficModel& model, std::uint64_t seed, Seconds duration);

  // The next request, its time since Monday, 0 h UTC; false at the end.
  bool next(Request& request);
  // Which tenant the last request was of, from 0.
  std::int32_t tenant() const { return tenant_; }

 private:
  struct Tenant {
    double share = 1;
    double next_at = 0;  // Operational time.
    std::int32_t number = 0;
    RandomStream stream;

    bool operator>(const Tenant& other) const { return next_at > other.next_at; }
  };
  struct Turn {
    double at = 0;
    std::int32_t context = 0;  // Tokens of the turns before.

    bool operator>(const Turn& other) const { return at > other.at; }
  };

  double gap(RandomStream& stream) const;
  bool next_start(double& at);
  Request request_at(double at, std::int32_t context);

  TrafficModel model_;
  OperationalTime time_;
  RandomStream lengths_;
  RandomStream thinking_;
  std::priority_queue<Tenant, std::vector<Tenant>, std::greater<>> tenants_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  double pending_start_ = -1;
  std::int32_t pending_tenant_ = 0;
  std::int32_t tenant_ = 0;
  bool is_over_ = false;
};

// A whole trace; its origin is a Monday, 0 h UTC.
Trace generate(const TrafficModel& model, std::uint64_t seed, Seconds duration);

// The rate alone, in windows of one length.
RateProfile generate_rates(const TrafficModel& model, std::uint64_t seed, Seconds duration,
                           Seconds window);

// The same in two parts: what depends on the seed alone, and the rates of a model of that shape.
std::vector<RateStep> rate_steps(const TrafficModel& model, std::uint64_t seed, Seconds duration);
RateProfile rates_of(const TrafficModel& model, const std::vector<RateStep>& steps,
                     Seconds duration, Seconds window);

// Requests at the rates of a profile: gamma gaps of the windows' CV in operational time, lengths
// from the model.
Trace generate_from_profile(const RateProfile& profile, const TrafficModel& lengths,
                            std::uint64_t seed);

}  // namespace loadfactor::demand

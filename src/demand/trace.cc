#include "demand/trace.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.h"

namespace loadfactor::demand {
namespace {

Seconds seconds(Nanoseconds time) {
  return Seconds::from_base(static_cast<double>(time) * 1e-9);
}

PrefixBlocks reordered(const PrefixBlocks& from, const std::vector<std::uint32_t>& order) {
  PrefixBlocks to;
  to.block_tokens = from.block_tokens;
  to.ids.reserve(from.ids.size());
  to.first.reserve(order.size() + 1);
  for (const std::uint32_t index : order) {
    to.first.push_back(static_cast<std::uint32_t>(to.ids.size()));
    to.ids.insert(to.ids.end(), from.ids.begin() + from.first[index],
                  from.ids.begin() + from.first[index + 1]);
  }
  to.first.push_back(static_cast<std::uint32_t>(to.ids.size()));
  return to;
}

std::vector<std::int32_t> reordered(const std::vector<std::int32_t>& from,
                                    const std::vector<std::uint32_t>& order) {
  std::vector<std::int32_t> to;
  to.reserve(order.size());
  for (const std::uint32_t index : order) to.push_back(from[index]);
  return to;
}

// The requests at `order`, in that order.
Trace picked(const Trace& trace, const std::vector<std::uint32_t>& order) {
  Trace to{.is_timed = trace.is_timed, .has_calendar = trace.has_calendar, .origin = trace.origin};
  to.requests.reserve(order.size());
  for (const std::uint32_t index : order) to.requests.push_back(trace.requests[index]);
  if (!trace.clients.empty()) to.clients = reordered(trace.clients, order);
  if (!trace.sessions.empty()) to.sessions = reordered(trace.sessions, order);
  if (!trace.prefixes.first.empty()) to.prefixes = reordered(trace.prefixes, order);
  return to;
}

bool earlier(const Request& a, const Request& b) {
  return a.at < b.at;
}

std::int32_t next_number(const std::vector<std::int32_t>& numbers) {
  return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end()) + 1;
}

void append_numbers(std::vector<std::int32_t>& to, const std::vector<std::int32_t>& from) {
  const std::int32_t offset = next_number(to);
  for (const std::int32_t number : from) to.push_back(number + offset);
}

void append_prefixes(PrefixBlocks& to, const PrefixBlocks& from) {
  const std::uint32_t offset =
      to.ids.empty() ? 0 : *std::max_element(to.ids.begin(), to.ids.end()) + 1;
  if (to.first.empty()) to.first.push_back(0);
  const auto base = static_cast<std::uint32_t>(to.ids.size());
  for (std::size_t i = 1; i < from.first.size(); ++i) to.first.push_back(base + from.first[i]);
  for (const std::uint32_t id : from.ids) to.ids.push_back(id + offset);
}

}  // namespace

Seconds Trace::span() const {
  if (requests.empty() || !is_timed) return Seconds();
  return seconds(requests.back().at - requests.front().at);
}

Seconds RateProfile::span() const {
  if (windows.empty()) return Seconds();
  return seconds(windows.back().start + windows.back().length - windows.front().start);
}

namespace {

using Places = std::vector<std::uint32_t>;

// Places of requests in the order of their times; those of one time stay in the order they have.
// Records are in order for the most part, or several that are lie one behind the other: what is in
// order already is merged as it is.
Places places_in_order(const std::vector<Request>& requests) {
  const auto is_earlier = [&requests](std::uint32_t a, std::uint32_t b) {
    return requests[a].at < requests[b].at;
  };
  Places order(requests.size());
  std::iota(order.begin(), order.end(), 0U);
  std::vector<std::ptrdiff_t> ends;  // Of each run of requests in order.
  for (std::size_t i = 1; i <= requests.size(); ++i)
    if (i == requests.size() || requests[i].at < requests[i - 1].at)
      ends.push_back(static_cast<std::ptrdiff_t>(i));
  constexpr std::size_t kShortRun = 8;
  if (ends.size() > requests.size() / kShortRun) {
    std::stable_sort(order.begin(), order.end(), is_earlier);
    return order;
  }
  Places merged(order.size());
  while (ends.size() > 1) {
    std::vector<std::ptrdiff_t> longer;
    std::ptrdiff_t begin = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::ptrdiff_t middle = ends[run];
      const std::ptrdiff_t end = run + 1 < ends.size() ? ends[run + 1] : middle;
      std::merge(order.begin() + begin, order.begin() + middle, order.begin() + middle,
                 order.begin() + end, merged.begin() + begin, is_earlier);
      longer.push_back(end);
      begin = end;
    }
    order.swap(merged);
    ends = std::move(longer);
  }
  return order;
}

}  // namespace

void put_in_order(Trace& trace) {
  const auto& requests = trace.requests;
  if (requests.empty() || !trace.is_timed) return;
  if (!std::is_sorted(requests.begin(), requests.end(), earlier))
    trace = picked(trace, places_in_order(requests));
  const Nanoseconds first = trace.requests.front().at;
  if (first == 0) return;
  trace.origin += first;
  for (auto& request : trace.requests) request.at -= first;
}

Trace scaled(const Trace& trace, double factor) {
  Trace out;
  out.is_timed = trace.is_timed;
  out.has_calendar = trace.has_calendar;
  out.origin = trace.origin;
  out.prefixes.block_tokens = trace.prefixes.block_tokens;
  if (!trace.prefixes.first.empty()) out.prefixes.first.push_back(0);
  const auto up_to = [factor](std::size_t requests) {
    return std::llround(static_cast<double>(requests) * factor);
  };
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::int64_t copies = up_to(i + 1) - up_to(i);
    const Request& request = trace.requests[i];
    const Nanoseconds gap = i + 1 < trace.size() ? trace.requests[i + 1].at - request.at : 0;
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      out.requests.push_back({request.at + gap / copies * copy, request.input, request.output});
      if (!trace.clients.empty()) out.clients.push_back(trace.clients[i]);
      if (!trace.sessions.empty()) out.sessions.push_back(trace.sessions[i]);
      if (trace.prefixes.first.empty()) continue;
      const auto ids = trace.prefixes.ids.begin();
      out.prefixes.ids.insert(out.prefixes.ids.end(), ids + trace.prefixes.first[i],
                              ids + trace.prefixes.first[i + 1]);
      out.prefixes.first.push_back(static_cast<std::uint32_t>(out.prefixes.ids.size()));
    }
  }
  return out;
}

RateProfile scaled(RateProfile profile, double factor) {
  for (auto& window : profile.windows) window.rate = window.rate * factor;
  return profile;
}

Trace compressed(const Trace& trace, double factor) {
  Trace to = trace;
  for (auto& request : to.requests)
    request.at = std::llround(static_cast<double>(request.at) / factor);
  return to;
}

Trace merged(const std::vector<Trace>& traces) {
  Trace to;
  bool has_calendar = !traces.empty();
  bool has_numbers = !traces.empty();  // Stamps of one clock, whatever it counts from.
  bool has_clients = !traces.empty();
  bool has_sessions = !traces.empty();
  bool has_prefixes = !traces.empty();
  Nanoseconds origin = traces.empty() ? 0 : traces.front().origin;
  for (const auto& trace : traces) {
    has_calendar = has_calendar && trace.has_calendar;
    has_numbers = has_numbers && !trace.has_calendar;
    has_clients = has_clients && !trace.clients.empty();
    has_sessions = has_sessions && !trace.sessions.empty();
    has_prefixes = has_prefixes && !trace.prefixes.first.empty();
    to.is_timed = to.is_timed && trace.is_timed;
    origin = std::min(origin, trace.origin);
  }
  to.has_calendar = has_calendar;
  const bool has_clock = has_calendar || has_numbers;
  to.origin = has_clock ? origin : 0;
  for (const auto& trace : traces) {
    const Nanoseconds shift = has_clock ? trace.origin - origin : 0;
    for (Request request : trace.requests) {
      request.at += shift;
      to.requests.push_back(request);
    }
    if (has_clients) append_numbers(to.clients, trace.clients);
    if (has_sessions) append_numbers(to.sessions, trace.sessions);
    if (has_prefixes) append_prefixes(to.prefixes, trace.prefixes);
    to.prefixes.block_tokens = trace.prefixes.block_tokens;
  }
  put_in_order(to);
  return to;
}

Trace spread(const Trace& trace, Seconds grain, std::uint64_t seed) {
  RandomStream stream(seed, "spread");
  std::vector<double> places;
  Trace to = trace;
  const auto step = static_cast<Nanoseconds>(grain.base() * 1e9);
  auto& requests = to.requests;
  for (std::size_t first = 0; first < requests.size();) {
    std::size_t last = first + 1;
    while (last < requests.size() && requests[last].at == requests[first].at) ++last;
    const Nanoseconds start = requests[first].at;
    const Nanoseconds until =
        last < requests.size() ? std::min(start + step, requests[last].at) : start + step;
    places.clear();
    for (std::size_t i = first; i < last; ++i) places.push_back(stream.uniform());
    std::sort(places.begin(), places.end());
    for (std::size_t i = first; i < last; ++i)
      requests[i].at =
          start + static_cast<Nanoseconds>(places[i - first] * static_cast<double>(until - start));
    first = last;
  }
  return to;
}

}  // namespace loadfactor::demand

#include "demand/traffic_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "base/quantity_text.h"
#include "config/document.h"
#include "config/reader.h"

namespace loadfactor::demand {
namespace {

using config::MapReader;
using config::Range;

constexpr std::array kKinds{
    config::Word<bool>{"measured", true}, config::Word<bool>{"datasheet", true},
    config::Word<bool>{"published", true}, config::Word<bool>{"assumed", true}};
constexpr Range kLogRange{-30, 30};
constexpr Range kSigmaRange{0, 10};
constexpr Range kHourRange{0, 24};
constexpr Range kCvRange{0, 100};

// A number that may be absent.
double number(MapReader& map, std::string_view key, double otherwise, Range range) {
  return map.maybe_ratio(key, range).value_or(otherwise);
}

Wave read_wave(MapReader& reader, std::string_view key) {
  Wave wave;
  if (auto map = reader.map(key, false)) {
    wave.amplitude = map->ratio("amplitude", {0, 10});
    wave.peak_hour = map->ratio("peak_hour", kHourRange);
    map->finish();
  }
  return wave;
}

// Factors of equal parts of a week, by the hour or finer.
std::vector<double> read_parts(MapReader& reader) {
  std::vector<double> parts;
  constexpr std::size_t kHours = 7 * 24;
  const auto items = reader.items("week");
  for (const config::Node* item : items) {
    const auto factor = parse_quantity(item->scalar, Dimension{}, Expect::kRatio);
    if (item->kind != config::NodeKind::kScalar || !factor || !(factor->value >= 0)) {
      reader.report("week", lf::kNotANumber, "'week' is a list of factors on the rate");
      return {};
    }
    parts.push_back(factor->value);
  }
  if (parts.size() % kHours != 0)
    reader.report("week", lf::kInconsistentFigures,
                  fmt::format("'week' has {} factors", parts.size()),
                  fmt::format("write {} for hours, {} for half-hours, …", kHours, 2 * kHours));
  return parts;
}

LogNoise read_noise(MapReader& reader, std::string_view key) {
  LogNoise noise;
  if (auto map = reader.map(key, false)) {
    noise.sigma = map->ratio("sigma", kSigmaRange);
    noise.relaxation = map->quantity<Seconds>("relaxation", {1, 1e7});
    map->finish();
  }
  return noise;
}

void read_bursts(MapReader& reader, OnOff& bursts) {
  auto map = reader.map("on_off", false);
  if (!map) return;
  bursts.on = map->quantity<Seconds>("on", {1e-3, 1e7});
  bursts.on_cv = number(*map, "on_cv", 1, kCvRange);
  bursts.off_least = map->quantity<Seconds>("off_least", {0, 1e7});
  bursts.off = map->quantity<Seconds>("off", {1e-3, 1e7});
  bursts.off_cv = number(*map, "off_cv", 1, kCvRange);
  bursts.burst_sigma = number(*map, "burst_sigma", 0, kSigmaRange);
  map->finish();
}

void read_sessions(MapReader& reader, Sessions& sessions) {
  auto map = reader.map("sessions", false);
  if (!map) return;
  sessions.turns = map->ratio("turns", {1, 1e4});
  sessions.think_mu = map->ratio("think_mu", kLogRange);
  sessions.think_sigma = map->ratio("think_sigma", kSigmaRange);
  map->finish();
}

LengthMixture read_lengths(MapReader& reader, std::string_view key) {
  LengthMixture mixture;
  auto map = reader.map(key, true);
  if (!map) return mixture;
  mixture.most = static_cast<std::int32_t>(map->integer("most", {1, 1 << 30}));
  double total = 0;
  for (auto& part : map->maps("components")) {
    mixture.components.push_back({part.ratio("share", {0, 1}), part.ratio("mu", kLogRange),
                                  part.ratio("sigma", kSigmaRange)});
    total += mixture.components.back().share;
    part.finish();
  }
  constexpr double kRounding = 0.02;
  if (std::abs(total - 1) > kRounding)
    map->report("components", lf::kInconsistentFigures,
                fmt::format("shares add up to {:.3g}, not to 1", total));
  map->finish();
  return mixture;
}

// A quoted scalar that any text can stand in.
std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + "\"";
}

void add_wave(std::string& text, const char* key, const Wave& wave) {
  if (wave.amplitude == 0) return;
  text += fmt::format("{}: {{amplitude: {:.4g}, peak_hour: {:.4g}}}\n", key, wave.amplitude,
                      wave.peak_hour);
}

void add_noise(std::string& text, const char* key, const LogNoise& noise) {
  if (noise.sigma == 0) return;
  text += fmt::format("{}: {{sigma: {:.4g}, relaxation: {:.4g} s}}\n", key, noise.sigma,
                      noise.relaxation.base());
}

void add_lengths(std::string& text, const char* key, const LengthMixture& mixture) {
  text += fmt::format("{}:\n  most: {}\n  components:\n", key, mixture.most);
  for (const auto& c : mixture.components)
    text +=
        fmt::format("    - {{share: {:.4g}, mu: {:.4g}, sigma: {:.4g}}}\n", c.share, c.mu, c.sigma);
}

}  // namespace

std::optional<TrafficModel> read_traffic(const std::string& file, const std::string& text,
                                         Diagnostics& diagnostics) {
  auto document = config::parse_yaml(file, text);
  if (!document) {
    diagnostics.add(std::move(document).error());
    return std::nullopt;
  }
  const std::size_t before = diagnostics.size();
  MapReader reader(*document, document->root, "traffic", diagnostics);
  TrafficModel model;
  if (reader.text("schema") != "traffic/1")
    reader.report("schema", lf::kWrongSchema, "this is not 'traffic/1'");
  model.name = reader.text("name");
  constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  if (model.name.find_first_not_of(kNameLetters) != std::string::npos)
    reader.report("name", lf::kUnknownWord, "'" + model.name + "' is not a name",
                  "names are lower case with hyphens: global-chat");
  model.title = reader.maybe_text("title").value_or(model.name);
  model.base = Hertz::from_base(reader.ratio("requests_per_second", {1e-9, 1e9}));
  model.day = read_wave(reader, "day");
  model.half_day = read_wave(reader, "half_day");
  model.weekend = number(reader, "weekend", 1, {1e-6, 1e3});
  model.week = read_parts(reader);
  model.day_sigma = number(reader, "day_sigma", 0, kSigmaRange);
  model.slow = read_noise(reader, "slow");
  model.fast = read_noise(reader, "fast");
  model.ceiling = number(reader, "ceiling", 0, {0, 1e6});
  model.cv = number(reader, "cv", 1, kCvRange);
  model.tenants = static_cast<int>(reader.maybe_integer("tenants", {1, 100000}).value_or(1));
  model.zipf = number(reader, "zipf", 1, {0, 10});
  read_bursts(reader, model.on_off);
  read_sessions(reader, model.sessions);
  model.input = read_lengths(reader, "tokens_in");
  model.output = read_lengths(reader, "tokens_out");
  reader.maybe_word<bool>("kind", kKinds);
  model.source = reader.maybe_text("source").value_or("");
  if (reader.has("date")) reader.date("date");
  reader.finish();
  if (diagnostics.size() != before) return std::nullopt;
  return model;
}

std::string traffic_yaml(const TrafficModel& m) {
  std::string text =
      fmt::format("schema: traffic/1\nname: {}\n", m.name.empty() ? "fitted" : m.name);
  if (!m.title.empty()) text += fmt::format("title: {}\n", in_quotes(m.title));
  text += fmt::format("requests_per_second: {:.4g}\n", m.base.base());
  add_wave(text, "day", m.day);
  add_wave(text, "half_day", m.half_day);
  if (m.weekend != 1) text += fmt::format("weekend: {:.4g}\n", m.weekend);
  if (!m.week.empty()) text += fmt::format("week: [{:.4g}]\n", fmt::join(m.week, ", "));
  if (m.day_sigma != 0) text += fmt::format("day_sigma: {:.4g}\n", m.day_sigma);
  add_noise(text, "slow", m.slow);
  add_noise(text, "fast", m.fast);
  if (m.ceiling != 0) text += fmt::format("ceiling: {:.4g}\n", m.ceiling);
  text += fmt::format("cv: {:.4g}\n", m.cv);
  if (m.tenants > 1) text += fmt::format("tenants: {}\nzipf: {:.4g}\n", m.tenants, m.zipf);
  if (m.on_off.is_used()) {
    const OnOff& o = m.on_off;
    text += fmt::format(
        "on_off: {{on: {:.4g} s, on_cv: {:.4g}, off_least: {:.4g} s, off: {:.4g} s, off_cv: "
        "{:.4g}, burst_sigma: {:.4g}}}\n",
        o.on.base(), o.on_cv, o.off_least.base(), o.off.base(), o.off_cv, o.burst_sigma);
  }
  if (m.sessions.turns > 1)
    text += fmt::format("sessions: {{turns: {:.4g}, think_mu: {:.4g}, think_sigma: {:.4g}}}\n",
                        m.sessions.turns, m.sessions.think_mu, m.sessions.think_sigma);
  add_lengths(text, "tokens_in", m.input);
  add_lengths(text, "tokens_out", m.output);
  if (!m.source.empty()) text += fmt::format("kind: measured\nsource: {}\n", in_quotes(m.source));
  return text;
}

}  // namespace loadfactor::demand

#include "report/traffic_words.h"

#include <fmt/format.h>

#include "demand/traffic_file.h"

namespace loadfactor::report {
namespace {

std::string row(const char* name, double real, double made) {
  return fmt::format("#   {:<22} {:>8.3g} {:>8.3g} {:>+7.1f} %\n", name, real, made,
                     real > 0 ? 100 * (made / real - 1) : 0.0);
}

std::string heading(const std::string& what, int seeds) {
  return fmt::format("# {}, against {} made ones:\n#   {:<22} {:>8} {:>8} {:>9}\n", what, seeds, "",
                     "real", "made", "distance");
}

constexpr const char* kUnseen = "The second half, unseen by a fit to the first";
constexpr const char* kFitted = "All of it, as fitted";

std::string distance_text(const char* what, const demand::TrafficDistance& d) {
  std::string text = heading(what, d.seeds);
  text += row("requests", 1, d.rate_ratio);
  text += row("CV of gaps", d.real.cv, d.made.cv);
  text += row("variance/mean, 1 s", d.real.d1, d.made.d1);
  text += row("variance/mean, 10 s", d.real.d10, d.made.d10);
  text += row("variance/mean, 60 s", d.real.d60, d.made.d60);
  text += row("peak/mean, 60 s", d.real.peak_to_mean_60, d.made.peak_to_mean_60);
  text += row("the same over all", d.real_peak, d.made_peak);
  text += "#   (of more than three hours: gaps and counts are means over the hours)\n";
  text += fmt::format("#   lengths: Kolmogorov distance {:.3f} in, {:.3f} out\n", d.input_distance,
                      d.output_distance);
  return text;
}

std::string rates_text(const char* what, const engine::RateDistance::Part& part, int seeds) {
  return heading(what, seeds) + row("requests/s", part.real_mean, part.made_mean) +
         row("peak/mean of windows", part.real_peak, part.made_peak);
}

std::string_view name_of(engine::FarFigure::Which which) {
  using Which = engine::FarFigure::Which;
  switch (which) {
    case Which::kGaps:
      return "CV of gaps";
    case Which::kMinutePeak:
      return "peak/mean at 60 s";
    case Which::kWholePeak:
      return "peak/mean at 60 s over the whole";
    case Which::kRate:
      return "mean rate";
    case Which::kWindowPeak:
      break;
  }
  return "peak/mean";
}

}  // namespace

std::string traffic_file(const engine::TrafficFitAnswer& fit) {
  std::string text = fmt::format(
      "# {} numbers; made again by `loadfactor demand --generate FILE`.\n", fit.numbers);
  if (fit.lengths_assumed)
    text +=
        "# The file says nothing of lengths: 1,000 tokens in and 200 out are assumed; write "
        "yours.\n";
  if (fit.fitted) text += distance_text(kFitted, *fit.fitted);
  if (fit.unseen) text += distance_text(kUnseen, *fit.unseen);
  if (fit.rates)
    text += rates_text(kFitted, fit.rates->fitted, fit.rates->seeds) +
            rates_text(kUnseen, fit.rates->unseen, fit.rates->seeds);
  return text + demand::traffic_yaml(fit.model);
}

std::string words_of(const engine::FarFigure& figure) {
  if (figure.unseen)
    return fmt::format(
        "! the file is not stationary: a fit to its first half gives the second a {} of {:.3g}, "
        "and "
        "it has {:.3g}; what comes after it may differ as much",
        name_of(figure.which), figure.made, figure.real);
  return fmt::format(
      "! made traffic has a {} of {:.3g}, the file {:.3g}: more than {:g} times off, so do not "
      "size "
      "a fleet by it",
      name_of(figure.which), figure.made, figure.real, engine::kFarTraffic);
}

}  // namespace loadfactor::report

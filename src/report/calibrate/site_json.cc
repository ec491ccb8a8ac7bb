// The answer of `calibrate FILE…` for programs.
#include <cmath>

#include "report/calibrate/site_report.h"
#include "report/json_answer.h"

namespace loadfactor::report {
namespace {

using calibrate::SiteErrors;

constexpr double kNineOfTen = 1.645;  // Standard deviations on either side.
const char* const kSite = "site";

Json errors_json(const SiteErrors& errors) {
  const auto share = [](double value) {
    return quantity(EstimateOf<double>::exact(value, Basis::kMeasured, kSite).erased());
  };
  return {{"median", share(errors.median)}, {"p90", share(errors.p90)}};
}

Json share_json(double value) {
  return quantity(EstimateOf<double>::exact(value, Basis::kCalibrated, kSite).erased());
}

Json seconds_json(double value, Basis basis) {
  return quantity(EstimateOf<Seconds>::exact(Seconds::from_base(value), basis, kSite).erased());
}

Json kernels_json(const calibrate::SiteKernels& kernels) {
  Json rows = Json::array();
  for (const calibrate::KernelRefit& group : kernels.groups) {
    Json row;
    row["kernel"] = kernel_name(group.key);
    row["shapes"] = group.points;
    row["before"] = errors_json(group.before);
    row["after"] = errors_json(group.after);
    row["left_out"] = errors_json(group.left_out);
    row["rate"] = share_json(group.fitted.sustained);
    row["memory"] = share_json(group.fitted.memory);
    row["fixed"] = quantity(
        EstimateOf<Seconds>::exact(group.fitted.fixed, Basis::kCalibrated, kSite).erased());
    row["taken"] = group.helps();
    rows.push_back(std::move(row));
  }
  return rows;
}

Json clocks_json(const calibrate::SiteKernels& kernels) {
  Json rows = Json::array();
  for (const calibrate::HeldClock& clock : kernels.clocks) {
    Json row;
    row["kernel"] = std::string(cost::kKernelClasses[static_cast<std::size_t>(clock.kernel)]);
    row["dtype"] = std::string(catalog::name(clock.dtype));
    row["power"] =
        quantity(EstimateOf<Watts>::exact(clock.drawn, Basis::kMeasured, kSite).erased());
    row["settled"] = share_json(clock.settled);
    row["burst"] = share_json(clock.burst);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json kinds_json(const std::vector<calibrate::KindErrors>& kinds) {
  Json rows = Json::array();
  for (const auto& kind : kinds) {
    Json row;
    row["kind"] = kind.kind;
    row["figures"] = kind.figures;
    row["runs"] = kind.runs;
    row["before"] = errors_json(kind.before);
    row["after"] = errors_json(kind.after);
    if (kind.held_out) row["held_out"] = errors_json(*kind.held_out);
    rows.push_back(std::move(row));
  }
  return rows;
}

Json fit_json(const calibrate::SiteFit& fit, const std::vector<calibrate::KindErrors>& kinds) {
  Json json;
  json["observations"] = fit.observations;
  json["strange"] = fit.strange;
  json["before"] = errors_json(fit.before);
  json["after"] = errors_json(fit.after);
  json["held_out"] = errors_json(fit.held_out);
  json["kinds"] = kinds_json(kinds);
  json["terms"] = Json::array();
  for (const calibrate::SiteTerm& term : fit.terms) {
    const double wide = std::exp(kNineOfTen * term.error);
    Json row;
    row["name"] = term.name;
    row["factor"] =
        quantity(EstimateOf<double>(term.factor, term.factor / wide, term.factor * wide,
                                    term.measured() ? Basis::kCalibrated : Basis::kAssumed,
                                    term.measured() ? kSite : "calibration/site-terms.yaml")
                     .erased());
    row["measured"] = term.measured();
    json["terms"].push_back(std::move(row));
  }
  return json;
}

// One figure, with what all of them together say.
Json gap_json(const calibrate::GapAnswer& gap, const calibrate::GapFigure& figure) {
  Json json;
  json["figure"] = figure.name;
  json["count"] = figure.count;
  json["layouts"] = gap.layouts;
  json["predicted"] = seconds_json(figure.predicted, Basis::kModelled);
  json["measured"] = seconds_json(figure.measured, Basis::kMeasured);
  json["unexplained"] = seconds_json(figure.unexplained, Basis::kModelled);
  json["settled"] = gap.settled;
  json["nothing"] = share_json(gap.nothing);
  if (!gap.next.empty()) json["measure_next"] = gap.next;
  json["groups"] = Json::array();
  for (const auto& group : figure.groups) {
    Json row;
    row["group"] = group.name;
    row["share"] = share_json(group.share);
    row["time"] = seconds_json(group.seconds, Basis::kModelled);
    row["likelihood"] = share_json(group.likelihood);
    json["groups"].push_back(std::move(row));
  }
  json["shares"] = Json::array();
  for (const auto& share : figure.shares) {
    Json row;
    row["term"] = share.term;
    row["group"] = share.group;
    row["share"] = share_json(share.share);
    row["time"] = seconds_json(share.seconds, Basis::kModelled);
    row["factor"] = share_json(share.factor);
    row["likelihood"] = share_json(share.likelihood);
    json["shares"].push_back(std::move(row));
  }
  json["unseen"] = Json::array();
  for (const auto& unseen : gap.unseen)
    json["unseen"].push_back({{"term", unseen.term}, {"largest", share_json(unseen.largest)}});
  return json;
}

Json run_json(const ServingComparison& row) {
  const auto figure = [&](double value, Basis basis) {
    if (row.metric != serving::Metric::kThroughput) return seconds_json(value, basis);
    return quantity(
        EstimateOf<TokensPerSecond>::exact(TokensPerSecond::from_base(value), basis, kSite)
            .erased());
  };
  Json json;
  json["run"] = row.run;
  json["tool"] = row.tool;
  json["figure"] = std::string(serving::name(row.metric));
  json["measured"] = figure(row.measured, Basis::kMeasured);
  json["before"] = figure(row.before, Basis::kCalibrated);
  json["after"] = figure(row.after, Basis::kCalibrated);
  return json;
}

}  // namespace

std::string site_json(const SiteAnswer& answer) {
  Json question;
  question["files"] = answer.files;
  Json json = Json::object();
  for (const auto& kernels : answer.kernels) {
    Json chip;
    chip["chip"] = kernels.chip;
    chip["kernels"] = kernels_json(kernels);
    chip["clocks"] = clocks_json(kernels);
    json["chips"].push_back(std::move(chip));
  }
  if (answer.fit) json["step"] = fit_json(*answer.fit, answer.fit_errors);
  if (answer.gap && !answer.gap->figures.empty())
    json["gap"] = gap_json(*answer.gap, answer.gap->figures.front());
  if (answer.serving_fit) json["serving"] = fit_json(*answer.serving_fit, answer.serving_errors);
  if (answer.serving_gap) {
    for (const auto& figure : answer.serving_gap->figures)
      json["serving_gap"].push_back(gap_json(*answer.serving_gap, figure));
  }
  for (const auto& row : answer.serving) json["runs"].push_back(run_json(row));
  if (!answer.folder.empty()) json["overlay"] = answer.folder;
  return envelope("calibrate", std::move(question), std::move(json), answer.notices, {});
}

}  // namespace loadfactor::report

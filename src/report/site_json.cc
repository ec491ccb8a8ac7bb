// The answer of `calibrate FILE…` for programs.
#include <cmath>

#include "report/json_answer.h"
#include "report/site_report.h"

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

Json fit_json(const calibrate::SiteFit& fit) {
  Json json;
  json["observations"] = fit.observations;
  json["strange"] = fit.strange;
  json["before"] = errors_json(fit.before);
  json["after"] = errors_json(fit.after);
  json["held_out"] = errors_json(fit.held_out);
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

Json gap_json(const calibrate::GapAnswer& gap) {
  Json json;
  json["predicted"] = seconds_json(gap.predicted, Basis::kModelled);
  json["measured"] = seconds_json(gap.measured, Basis::kMeasured);
  json["unexplained"] = seconds_json(gap.unexplained, Basis::kModelled);
  json["settled"] = gap.settled;
  if (!gap.next.empty()) json["measure_next"] = gap.next;
  json["shares"] = Json::array();
  for (const auto& share : gap.shares) {
    Json row;
    row["term"] = share.term;
    row["share"] = share_json(share.share);
    row["time"] = seconds_json(share.seconds, Basis::kModelled);
    row["factor"] = share_json(share.factor);
    row["likelihood"] = share_json(share.likelihood);
    json["shares"].push_back(std::move(row));
  }
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
  if (answer.kernels) {
    json["chip"] = answer.kernels->chip;
    json["kernels"] = kernels_json(*answer.kernels);
    json["clocks"] = clocks_json(*answer.kernels);
  }
  if (answer.fit) json["step"] = fit_json(*answer.fit);
  if (answer.gap) json["gap"] = gap_json(*answer.gap);
  if (answer.serving_fit) json["serving"] = fit_json(*answer.serving_fit);
  if (answer.serving_gap) json["serving_gap"] = gap_json(*answer.serving_gap);
  for (const auto& row : answer.serving) json["runs"].push_back(run_json(row));
  if (!answer.folder.empty()) json["overlay"] = answer.folder;
  return envelope("calibrate", std::move(question), std::move(json), answer.notices, {});
}

}  // namespace loadfactor::report

#include "cli/train_search.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <csignal>
#include <ctime>
#include <map>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error_codes.h"
#include "cli/session/list_option.h"
#include "loadfactor/engine.h"
#include "loadfactor/search.h"
#include "report/train/scale_report.h"
#include "report/train/search_report.h"

namespace loadfactor::cli {
namespace {

// Ctrl-C asks the search to end with what it has. A signal handler can reach nothing but a
// static; it is set by the handler alone and read by the search alone.
std::atomic<bool>& stop_flag() {
  static std::atomic<bool> flag{false};
  return flag;
}
void ask_to_stop(int /*signal*/) {
  stop_flag() = true;
}

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// While it lives, Ctrl-C ends the search and not the program.
class StopOnInterrupt {
 public:
  StopOnInterrupt() : before_(std::signal(SIGINT, ask_to_stop)) { stop_flag() = false; }
  ~StopOnInterrupt() { std::signal(SIGINT, before_); }
  StopOnInterrupt(const StopOnInterrupt&) = delete;
  StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

 private:
  void (*before_)(int);
};

// A line on stderr at most every so often, and only once the search has taken a while.
class Progress {
 public:
  explicit Progress(Session& session) : session_(session) {}
  void operator()(double share) {
    constexpr double kFirst = 2.0;
    const double now = cpu_seconds();
    if (now < next_ || now < kFirst) return;
    next_ = now + kFirst;
    session_.tell(fmt::format("searched {:.0f} % (Ctrl-C shows the best so far)", 100.0 * share));
  }

 private:
  Session& session_;
  double next_ = 0;
};

Result<SearchRequest> make_request(const Session& session, const SearchFlags& flags,
                                   const TrainRequest& train) {
  static const std::map<std::string, Objective> kObjectives{
      {"time", Objective::kTime},
      {"cost", Objective::kCost},
      {"energy", Objective::kEnergy},
      {"deadline", Objective::kCostByDeadline}};
  static const std::map<std::string, Placement> kPlacements{{"packed", Placement::kPacked},
                                                            {"rail", Placement::kRail},
                                                            {"spread", Placement::kSpread},
                                                            {"fragmented", Placement::kFragmented}};
  SearchRequest request;
  request.train = train;
  if (!flags.objective.empty()) {
    const auto found = kObjectives.find(flags.objective);
    if (found == kObjectives.end())
      return Error{.code = lf::kUsage,
                   .message = fmt::format("no objective '{}'", flags.objective),
                   .hint = "one of: time, cost, energy, deadline"};
    request.objective = found->second;
  }
  if (!flags.placement.empty()) {
    const auto found = kPlacements.find(flags.placement);
    if (found == kPlacements.end())
      return Error{.code = lf::kUsage,
                   .message = fmt::format("no placement '{}'", flags.placement),
                   .hint = "one of: packed, rail, spread, fragmented"};
    request.placement = found->second;
  }
  request.gpus = flags.gpus;
  request.precisions = flags.precisions;
  request.headroom = flags.headroom.value_or(0.0) / 100.0;
  request.exhaustive = flags.exhaustive;
  const int threads = session.options().threads;
  request.threads =
      threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  request.stop = &stop_flag();
  request.cpu_seconds = cpu_seconds;
  return request;
}

report::TrainTextOptions text_options(const Session& session) {
  return {.width = session.environment().width,
          .colour = session.environment().colour,
          .explain = session.options().explain};
}

std::string rendered(const Session& session, const std::string& format, const ScaleAnswer& answer,
                     const std::string& file) {
  if (format == "json") return report::scale_json(answer, file);
  if (format == "csv") return report::scale_csv(answer);
  if (format == "md") return report::scale_markdown(answer);
  return report::scale_text(answer, text_options(session));
}

std::string rendered(const Session& session, const std::string& format, const SearchAnswer& answer,
                     const std::string& file) {
  if (format == "json") return report::search_json(answer, file, session.options().reproducible);
  if (format == "csv") return report::search_csv(answer);
  if (format == "md") return report::search_markdown(answer);
  return report::search_text(answer, text_options(session));
}

void run_scale(Session& session, const SearchFlags& flags, const SearchRequest& request,
               const std::string& format) {
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  ScaleRequest scale;
  scale.search = request;
  constexpr double kUsualLine = 80;
  scale.efficiency = flags.efficiency.value_or(kUsualLine) / 100.0;
  if (flags.day_value) scale.day_value = Dollars::from_base(*flags.day_value);
  const StopOnInterrupt guard;
  Diagnostics diagnostics;
  auto answer = engine->scale(scale, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  const auto keeps = [](const ScalePoint& point) { return point.affordable && point.in_time; };
  const bool any =
      std::any_of(answer->curves.begin(), answer->curves.end(), [&keeps](const ScaleCurve& curve) {
        return std::any_of(curve.points.begin(), curve.points.end(), keeps);
      });
  session.set_status(any ? 0 : exit_status(lf::kNoPlan));
  session.write(rendered(session, format, *answer, request.train.scenario.file()));
}

}  // namespace

namespace {

// Empty where all is well, as CLI11 wants it.
std::string above_nothing(const std::string& word) {
  double value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size())
    return fmt::format("'{}' is no number", word);
  return value < 0 ? fmt::format("{} is below 0", word) : std::string();
}

std::string count_of_gpus(const std::string& word) {
  constexpr int kMost = 1'000'000;
  int value = 0;
  const auto [end, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (failed != std::errc() || end != word.data() + word.size())
    return fmt::format("'{}' is no whole number", word);
  return value < 1 || value > kMost ? fmt::format("{} is not from 1 to {}", value, kMost)
                                    : std::string();
}

}  // namespace

void add_search_flags(CLI::App& verb, SearchFlags& flags) {
  verb.add_flag("--search", flags.search, "search all legal layouts for the best");
  verb.add_flag("--exhaustive", flags.exhaustive, "search, and evaluate every one of them");
  verb.add_flag("--scale", flags.scale, "how far it scales, and what the next dollar buys");
  verb.add_option("--efficiency", flags.efficiency, "the line that --scale asks about, in percent")
      ->check(CLI::Range(1.0, 100.0))
      ->type_name("PERCENT");
  verb.add_option("--day-value", flags.day_value, "what a day earlier is worth, in dollars")
      ->check(CLI::Validator(above_nothing, "USD"))
      ->type_name("USD");
  verb.add_option("--objective", flags.objective, "time | cost | energy | deadline")
      ->type_name("WORD");
  verb.add_option("--placement", flags.placement, "packed | rail | spread | fragmented")
      ->type_name("WORD");
  add_list(verb, "--gpus", "numbers of GPUs to search, instead of the scenario's",
           [&flags](const std::string& item) {
             const std::string wrong = count_of_gpus(item);
             if (wrong.empty()) flags.gpus.push_back(std::stoi(item));
             return wrong;
           })
      ->type_name("N,N,…");
  add_list(verb, "--precision", "number formats to search, instead of the scenario's",
           [&flags](const std::string& item) {
             flags.precisions.push_back(item);
             return std::string();
           })
      ->type_name("WORD,WORD,…");
  verb.add_option("--headroom", flags.headroom, "share of the memory that must stay free")
      ->check(CLI::Range(0.0, 95.0))
      ->type_name("PERCENT");
}

Result<bool> check_search_flags(const SearchFlags& flags, bool trace) {
  const auto refuse = [](const std::string& message, const std::string& hint) {
    return Error{.code = lf::kUsage, .message = message, .hint = hint};
  };
  if (flags.scale && (flags.search || flags.exhaustive))
    return refuse("--scale and --search are two questions",
                  "--search finds layouts of one size; --scale compares sizes, and searches each");
  if (flags.scale && !flags.objective.empty())
    return refuse("--objective does not go with --scale",
                  "--scale shows time and cost at every size; --search takes an objective");
  if (trace && flags.any())
    return refuse("--trace shows one layout",
                  "write the layout that was found into the scenario, and run train --trace");
  if (!flags.scale && (flags.efficiency || flags.day_value))
    return refuse("--efficiency and --day-value belong to --scale", "add --scale");
  const bool only_search = !flags.objective.empty() || !flags.placement.empty() ||
                           !flags.gpus.empty() || !flags.precisions.empty() || flags.headroom;
  for (const auto& number : {flags.efficiency, flags.day_value, flags.headroom})
    if (number && !std::isfinite(*number))
      return refuse("--efficiency, --day-value and --headroom take numbers", "write 80, not nan");
  if (!flags.any() && only_search)
    return refuse("--objective, --placement, --gpus, --precision and --headroom belong to a search",
                  "add --search, or --scale");
  return true;
}

void run_search(Session& session, const SearchFlags& flags, const TrainRequest& train) {
  const auto format = session.format();
  if (!format) return session.fail(format.error());
  auto request = make_request(session, flags, train);
  if (!request) return session.fail(request.error());
  Progress progress(session);
  request->progress = [&progress](double share) { progress(share); };
  if (flags.scale) return run_scale(session, flags, *request, *format);
  const Engine* engine = session.engine();
  if (engine == nullptr) return;
  const StopOnInterrupt guard;
  Diagnostics diagnostics;
  auto answer = engine->search(*request, diagnostics);
  if (!answer) return session.fail(diagnostics);
  if (session.options().quiet) answer->notices.clear();
  const bool keeps = !answer->plans.empty() && answer->missed.empty();
  session.set_status(keeps ? 0 : exit_status(lf::kNoPlan));
  session.write(rendered(session, *format, *answer, train.scenario.file()));
}

}  // namespace loadfactor::cli

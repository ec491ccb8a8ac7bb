// `serve`, with `--simulate` and `--search`.
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "facade/anchor.h"
#include "facade/forms/makers.h"
#include "facade/forms/words.h"

namespace loadfactor::facade {
namespace {

enum Asked : unsigned { kClosedForm = 1, kSimulate = 2, kSearch = 4 };

struct OptionRow {
  std::string_view option;
  unsigned questions;
};
constexpr std::array kOptions{OptionRow{"concurrency", kClosedForm},
                              OptionRow{"batches", kClosedForm},
                              OptionRow{"anchor", kClosedForm | kSimulate},
                              OptionRow{"kv-tokens", kClosedForm | kSimulate},
                              OptionRow{"requests", kSimulate},
                              OptionRow{"router", kSimulate},
                              OptionRow{"timeout", kSimulate},
                              OptionRow{"first-token-timeout", kSimulate},
                              OptionRow{"max-waiting", kSimulate},
                              OptionRow{"max-replicas", kSimulate},
                              OptionRow{"target-load", kSimulate},
                              OptionRow{"start-time", kSimulate},
                              OptionRow{"plain", kSimulate},
                              OptionRow{"trace", kSimulate},
                              OptionRow{"series", kSimulate},
                              OptionRow{"spares", kSearch},
                              OptionRow{"maintenance", kSearch},
                              OptionRow{"weeks", kSearch},
                              OptionRow{"fleet", kSearch},
                              OptionRow{"confirm", kSearch},
                              OptionRow{"cold-start", kSearch}};

// Where the option would be looked at.
std::string remedy(unsigned questions) {
  if ((questions & kClosedForm) != 0)
    return (questions & kSimulate) != 0 ? "leave out --search"
                                        : "leave out --simulate and --search";
  return questions == kSimulate ? "add --simulate" : "add --search";
}

class ServeForm final : public Form {
 public:
  ServeForm() {
    scenario("a scenario with a `serve` section; - reads stdin");
    number("concurrency", serve_.concurrency, "requests in the system, not the demand's rate", "N");
    word("anchor", anchor_, "scale by a measured run: a file, or tpot_ms=9,…", "RUN");
    list("batches", "fixed batches to compare: 1,8,64", "N,…", [this](const std::string& item) {
      std::int64_t batch = 0;
      const auto [end, failed] = std::from_chars(item.data(), item.data() + item.size(), batch);
      if (failed != std::errc() || end != item.data() + item.size())
        return fmt::format("'{}' is no whole number", item);
      serve_.batches.push_back(batch);
      return std::string();
    });
    add_simulation();
    add_sizing();
  }

  std::optional<Question> question(const Reading& reading) override {
    if (auto fault = find_idle_option()) return reading.refuse(*std::move(fault));
    if (search_) return sized(reading);
    if (simulate_flag_) return simulated(reading);
    auto about = read_scenario(reading, "serve");
    if (!about) return std::nullopt;
    if (!read_anchor(reading, serve_.anchor)) return std::nullopt;
    if (simulate_.kv_tokens != 0) serve_.kv_tokens = simulate_.kv_tokens;
    serve_.about = *std::move(about);
    return serve_;
  }

 private:
  void add_simulation() {
    constexpr double kMaxCount = 1e12;
    const char* const group = "To simulate it";
    const auto from = options().size();
    flag("simulate", simulate_flag_, "run the demand through it, request by request");
    number("requests", simulate_.requests, "how many requests; default a day of the demand", "N", 1,
           kMaxCount);
    number("kv-tokens", simulate_.kv_tokens, "KV cache as the engine logs it: of one dp rank", "N",
           1, kMaxCount);
    word("router", router_, "least-loaded, round-robin, cache-aware or session", "RULE");
    word("timeout", timeout_, "cancel a request after this long", "TIME");
    word("first-token-timeout", first_token_timeout_, "cancel a request without a token by then",
         "TIME");
    number("max-waiting", simulate_.max_waiting, "turn requests away beyond this queue", "N", 1,
           kMaxCount);
    number("max-replicas", simulate_.max_replicas, "scale up to so many replicas", "N", 1, 1e6);
    number("target-load", simulate_.target_load, "requests per replica that scaling aims at", "N",
           1, kMaxCount);
    word("start-time", start_time_, "from scaling up to a ready replica", "TIME");
    flag("plain", simulate_.plain, "token by token, even where skipping ahead is exact");
    output("trace", trace_, "write the steps as a Chrome trace", "FILE.json", Format::kTrace,
           " (open in ui.perfetto.dev)");
    output("series", series_, "write queue, batch and KV cache over time", "FILE.csv",
           Format::kSeries);
    for (auto i = from; i < options().size(); ++i) options()[i].group = group;
  }

  void add_sizing() {
    const auto from = options().size();
    flag("search", search_, "find the cheapest deployment that keeps the SLO");
    number("spares", size_.spares, "replicas that stand by; else as failures ask", "N", 0, 1000);
    word("maintenance", maintenance_, "of every replica, one night a month", "TIME").shown_default =
        maintenance_;
    number("weeks", size_.weeks, "hard weeks simulated at most; else the quick ones", "N", 1, 100);
    number("fleet", size_.fleet, "also the most that so many GPUs carry", "GPUS", 1, 1e6);
    number("confirm", size_.confirm, "how many of the best to simulate", "N", 1, 20);
    word("cold-start", cold_start_, "until a new replica serves", "TIME").shown_default =
        cold_start_;
    for (auto i = from; i < options().size(); ++i) options()[i].group = "To size it";
  }

  std::optional<Error> find_idle_option() const {
    if (simulate_flag_ && search_)
      return usage("--simulate and --search are two questions",
                   "--search simulates what it finds; ask one at a time");
    const unsigned asked = simulate_flag_ ? kSimulate : search_ ? kSearch : kClosedForm;
    const char* words = simulate_flag_ ? " with --simulate" : search_ ? " with --search" : " alone";
    for (const OptionRow& row : kOptions) {
      if (!is_given(row.option) || (row.questions & asked) != 0) continue;
      return usage(fmt::format("--{} does nothing for `serve`{}", row.option, words),
                   remedy(row.questions));
    }
    for (const char* option : {"target-load", "start-time"}) {
      if (!is_given(option) || is_given("max-replicas")) continue;
      return usage(fmt::format("--{} does nothing without --max-replicas", option),
                   "add --max-replicas N, or write deployment.scaling in the scenario");
    }
    return std::nullopt;
  }

  // Words with `=`, or the name of a file.
  bool read_anchor(const Reading& reading, std::optional<ServeAnchor>& to) const {
    if (anchor_.empty() && !is_given("anchor")) return true;
    const auto read = [&]() -> Result<ServeAnchor> {
      if (anchor_.find('=') != std::string::npos) return parse_anchor(anchor_);
      TRY(const InputFile file, reading.files.open(anchor_));
      return parse_anchor_file(file.shown(), std::string(file.bytes));
    };
    auto anchor = read();
    if (!anchor) return reading.diagnostics.add(anchor.error()), false;
    to = *std::move(anchor);
    return true;
  }

  // A time above 0 or, where that means something, 0 itself.
  static Result<std::optional<Seconds>> time_of(std::string_view option, const std::string& text,
                                                bool zero) {
    TRY(const auto time, read_time(option, text));
    if (time && (*time < Seconds() || (!zero && *time == Seconds())))
      return at_option({.code = lf::kOutOfRange,
                        .message = fmt::format("--{} is {}, which is not {} 0", option, text,
                                               zero ? "from" : "above"),
                        .hint = "write a time such as '30 s'"},
                       option, text);
    return time;
  }

  Result<bool> read_times() {
    TRY(simulate_.timeout, time_of("timeout", timeout_, false));
    TRY(simulate_.first_token_timeout, time_of("first-token-timeout", first_token_timeout_, false));
    TRY(simulate_.start_time, time_of("start-time", start_time_, true));
    return true;
  }

  Result<bool> read_router() {
    if (router_.empty()) return true;
    const auto found = find_word(kRouters, router_);
    if (!found)
      return Error{.code = lf::kUnknownRouter,
                   .message = fmt::format("no router '{}'", router_),
                   .hint = "one of: least-loaded, round-robin, cache-aware, session"};
    simulate_.router = found;
    return true;
  }

  std::optional<Question> simulated(const Reading& reading) {
    auto about = read_scenario(reading, "simulate");
    if (!about) return std::nullopt;
    if (!read_anchor(reading, simulate_.anchor)) return std::nullopt;
    if (const auto read = read_times(); !read) return reading.refuse(read.error());
    if (const auto read = read_router(); !read) return reading.refuse(read.error());
    simulate_.about = *std::move(about);
    simulate_.settings = reading.settings;
    simulate_.trace = !trace_.empty();
    return simulate_;
  }

  std::optional<Question> sized(const Reading& reading) {
    auto about = read_scenario(reading, "size");
    if (!about) return std::nullopt;
    const auto cold = read_time("cold-start", cold_start_);
    if (!cold) return reading.refuse(cold.error());
    const auto maintenance = read_time("maintenance", maintenance_);
    if (!maintenance) return reading.refuse(maintenance.error());
    if (*cold) size_.cold_start = **cold;
    if (*maintenance) size_.maintenance = **maintenance;
    size_.about = *std::move(about);
    size_.settings = reading.settings;
    return size_;
  }

  bool simulate_flag_ = false;
  bool search_ = false;
  ServeQuestion serve_;
  SimulateQuestion simulate_;
  SizeQuestion size_;
  std::string anchor_, router_, timeout_, first_token_timeout_, start_time_, trace_, series_;
  std::string cold_start_ = "180 s";
  std::string maintenance_ = "2 h";
};

}  // namespace

std::unique_ptr<Form> serve_form() {
  return std::make_unique<ServeForm>();
}

}  // namespace loadfactor::facade

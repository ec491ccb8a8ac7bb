// loadfactor-probe: measures this machine's accelerator and writes one JSON file.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <unistd.h>

#include "arguments.h"
#include "bench.h"
#include "collectives.h"
#include "machine.h"
#include "power.h"

namespace loadfactor::probe {
namespace {

constexpr int kNoDevice = 4;
constexpr int kBadInput = 2;

using Clock = std::chrono::steady_clock;

struct Section {
  const char* name;
  std::function<void()> run;
};

void say(const Arguments& arguments, const char* section, double seconds) {
  if (arguments.silent) return;
  const bool terminal = isatty(2) != 0;
  std::fprintf(stderr, terminal ? "\r\033[K[%5.1f s] %s" : "[%5.1f s] %s\n", seconds, section);
  std::fflush(stderr);
}

bool wanted(const Arguments& arguments, std::string_view name) {
  if (arguments.only.empty()) return true;
  for (const std::string& only : arguments.only) {
    if (only == name) return true;
  }
  return false;
}

void run_sections(const Arguments& arguments, Record& record, const ShapePlan& shapes) {
  const auto start = Clock::now();
  std::unique_ptr<Telemetry> telemetry;
  const MachineFacts machine = describe_machine(record, telemetry);
  const Rank rank = find_rank([](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  });
  const Stream stream;
  Bench bench{stream, record, shapes, {}};
  bench.processors = machine.processors;
  bench.cache_bytes = machine.cache_bytes;
  bench.memory_budget = std::min(0.6 * machine.free_bytes, 24e9);
  bench.quick = arguments.quick;
  bench.load_seconds = arguments.load_seconds;
  bench.seed = arguments.seed;
  if (arguments.quick) bench.plan = {5, 1e-3, 100};
  if (arguments.check) {
    bench.quick = true;
    bench.plan = {1, 0, 4, 0};
    bench.cache_bytes = 0;
  }
  const Section sections[] = {
      {"launch", [&] { probe_launch(bench); }},
      {"memory", [&] { probe_memory(bench); }},
      {"cache", [&] { probe_cache(bench); }},
      {"gemm", [&] { probe_gemm(bench); }},
      {"attention", [&] { probe_attention(bench); }},
      {"pointwise", [&] { probe_pointwise(bench); }},
      {"optimizer", [&] { probe_optimizer(bench); }},
      {"copies", [&] { probe_copies(bench); }},
      {"collectives", [&] { probe_collectives(bench, rank, arguments.meeting); }},
      {"power", [&] {
         if (telemetry != nullptr) probe_power(bench, *telemetry);
       }}};
  for (const Section& section : sections) {
    if (!wanted(arguments, section.name)) continue;
    say(arguments, section.name, std::chrono::duration<double>(Clock::now() - start).count());
    try {
      section.run();
      stream.wait();
    } catch (const std::exception& failure) {
      record.failures.push_back({section.name, failure.what()});
    }
  }
  record.elapsed_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  say(arguments, "done", record.elapsed_seconds);
  if (!arguments.silent && isatty(2) != 0) std::fputc('\n', stderr);
}

int write_record(const Arguments& arguments, const Record& record) {
  const std::string text = to_json(record);
  if (arguments.output.empty()) {
    std::fputs(text.c_str(), stdout);
    return 0;
  }
  std::ofstream file(arguments.output, std::ios::binary);
  if (file << text && file.flush()) return 0;
  std::fprintf(stderr, "loadfactor-probe: cannot write %s\n", arguments.output.c_str());
  return kNoDevice;
}

int run(const Arguments& arguments) {
  int devices = 0;
  if (gpuGetDeviceCount(&devices) != gpuSuccess || devices == 0) {
    std::fputs("loadfactor-probe: no accelerator was found on this machine\n", stderr);
    return kNoDevice;
  }
  Record record;
  record.tool.text("name", "loadfactor-probe")
      .text("runtime", kGpuRuntime)
      .truth("quick", arguments.quick)
      .number("load_seconds", arguments.load_seconds)
      .whole("seed", static_cast<std::int64_t>(arguments.seed));
  ShapePlan shapes = arguments.check ? smallest_shapes() : identifying_shapes(arguments.quick);
  if (!arguments.shapes.empty()) {
    std::ifstream file(arguments.shapes);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const int line = file.bad() || text.empty() ? -1 : add_shapes(text, shapes);
    if (line != 0) {
      std::fprintf(stderr, "loadfactor-probe: %s: %s %d\n", arguments.shapes.c_str(),
                   line < 0 ? "cannot be read" : "no shape on line", line < 0 ? 0 : line);
      return kBadInput;
    }
  }
  run_sections(arguments, record, shapes);
  return write_record(arguments, record);
}

}  // namespace
}  // namespace loadfactor::probe

int main(int argc, char** argv) {
  using loadfactor::probe::Arguments;
  std::string complaint;
  const auto arguments = loadfactor::probe::read_arguments({argv + 1, argv + argc}, complaint);
  if (!arguments) {
    std::fprintf(stderr, "%s\n", complaint.c_str());
    return loadfactor::probe::kBadInput;
  }
  if (arguments->help) {
    std::fputs(loadfactor::probe::kUsage, stdout);
    return 0;
  }
  try {
    return loadfactor::probe::run(*arguments);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "loadfactor-probe: %s\n", failure.what());
    return loadfactor::probe::kNoDevice;
  }
}

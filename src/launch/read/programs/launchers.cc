#include "launch/read/programs/launchers.h"

#include <algorithm>

namespace loadfactor::launch {
namespace {

// The first word behind a launcher that is no flag of it and no value of one.
std::size_t script_at(const Program& program, std::span<const Word> words, std::size_t from) {
  std::size_t i = from;
  while (i < words.size() && words[i].text.starts_with("-")) {
    const std::string name = words[i].text.substr(0, words[i].text.find('='));
    if (name == "-m" || name == "--module") return i;
    const auto match = program.find(name);
    const bool is_bare =
        match && (match->flag->kind == FlagKind::kSwitch || match->flag->kind == FlagKind::kToggle);
    const bool is_joined = words[i].text.find('=') != std::string::npos;
    i += is_bare || is_joined ? 1 : 2;
  }
  return std::min(i, words.size());
}

}  // namespace

std::string base_name(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Program torchrun_flags() {
  std::vector<Flag> flags;
  for (const char* name :
       {"--nnodes", "--nproc-per-node", "--node-rank", "--master-addr", "--master-port",
        "--rdzv-backend", "--rdzv-endpoint", "--rdzv-id", "--max-restarts", "--role", "--log-dir",
        "--tee", "--redirects", "--local-addr", "--rdzv-conf", "--local-ranks-filter",
        "--monitor-interval", "--start-method"})
    flags.push_back({name, {}, FlagKind::kText, {}, {}});
  flags.push_back({"--standalone", {}, FlagKind::kSwitch, {}, {}});
  flags.push_back({"--use-env", {}, FlagKind::kSwitch, {}, {}});
  flags.push_back({"--no-python", {}, FlagKind::kSwitch, {}, {}});
  flags.push_back({"-m", {"--module"}, FlagKind::kText, {}, {}});
  return {"torchrun", {}, std::move(flags)};
}

Program process_flags() {
  std::vector<Flag> flags;
  flags.push_back({"-np", {"-n", "--np", "--num-proc"}, FlagKind::kInteger, {}, {}});
  for (const char* name : {"--hostfile", "-H", "--map-by", "--bind-to", "-x", "--mca", "--hosts"})
    flags.push_back({name, {}, FlagKind::kText, {}, {}});
  return {"mpirun", {}, std::move(flags)};
}

LauncherWords launcher_words(const Program& program, std::span<const Word> words,
                             std::size_t from) {
  const auto starts = [&](std::size_t i) {
    const std::string& text = words[i].text;
    return text.ends_with(".py") || text == "-m" || text == "--module";
  };
  LauncherWords found{script_at(program, words, from)};
  while (found.script < words.size() && !words[found.script].is_known &&
         words[found.script].text.starts_with("$")) {
    std::size_t next = found.script + 1;
    while (next < words.size() && !starts(next)) ++next;
    if (next == words.size()) break;
    found.open = &words[found.script];
    found.script = script_at(program, words, found.script + 1);
  }
  return found;
}

}  // namespace loadfactor::launch

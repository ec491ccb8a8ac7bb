// Which programs a command starts, and what its launcher says of nodes and processes.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "launch/read/flags.h"
#include "launch/read/readers.h"

namespace loadfactor::launch {
namespace {

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

// The first word behind a launcher that is no flag of it and no value of one.
std::size_t script_at(const Program& program, Words words, std::size_t from) {
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

class CommandReader {
 public:
  CommandReader(const Source& source, Words words, Findings& findings, std::string_view pool)
      : source_(source), words_(words), findings_(findings), pool_(pool) {}

  bool read() {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (read_from(i)) return true;
    return false;
  }

 private:
  Words behind(std::size_t at) const { return words_.subspan(std::min(at, words_.size())); }
  std::string word(std::size_t at) const {
    return at < words_.size() ? words_[at].text : std::string();
  }

  bool read_from(std::size_t i) {
    const std::string name = base_name(word(i));
    const bool is_module = name == "-m" || name == "--module";
    const std::string module = is_module ? word(i + 1) : "";
    if (name == "torchrun" || module == "torch.distributed.run" ||
        module == "torch.distributed.launch")
      return torchrun(i + (is_module ? 2 : 1)), true;
    if (name == "deepspeed") return deepspeed(i + 1), true;
    if (name == "accelerate" && word(i + 1) == "launch") return accelerate(i + 2), true;
    if (name == "mpirun" || name == "mpiexec" || name == "horovodrun")
      return processes(i + 1, name), true;
    if (name == "vllm" && word(i + 1) == "serve")
      return read_vllm(source_, behind(i + 2), findings_, pool_), true;
    if (module.starts_with("vllm.entrypoints") || module == "dynamo.vllm")
      return read_vllm(source_, behind(i + 2), findings_, pool_), true;
    if (module == "sglang.launch_server" || module == "dynamo.sglang")
      return read_sglang(source_, behind(i + 2), findings_, pool_), true;
    if (name == "sglang" && word(i + 1) == "serve")
      return read_sglang(source_, behind(i + 2), findings_, pool_), true;
    if (name == "trtllm-serve") {
      const std::size_t skip = word(i + 1) == "serve" ? 2 : 1;
      return read_tensorrt_llm(source_, behind(i + skip), findings_), true;
    }
    if (module == "torchtitan.train")
      return read_torchtitan(source_, behind(i + 2), findings_), true;
    if (is_megatron(name)) return read_megatron(source_, behind(i + 1), findings_), true;
    return false;
  }
  static bool is_megatron(const std::string& name) {
    return name.starts_with("pretrain_") && name.ends_with(".py");
  }
  // What a launcher starts: a program that we know, or one of the user's own.
  void program(std::size_t at) {
    if (at >= words_.size()) return;
    const std::string name = base_name(word(at));
    if (name == "-m" || name == "--module") {
      if (word(at + 1) == "torchtitan.train")
        return read_torchtitan(source_, behind(at + 2), findings_);
      return;
    }
    if (is_megatron(name)) return read_megatron(source_, behind(at + 1), findings_);
    const Program megatron = read_program("megatron");
    int known = 0;
    for (const Word& each : behind(at + 1))
      known +=
          each.text.starts_with("--") && megatron.find(each.text.substr(0, each.text.find('=')))
              ? 1
              : 0;
    const bool is_sharded = std::any_of(words_.begin(), words_.end(), [](const Word& each) {
      return each.text.starts_with("--tensor-model-parallel-size");
    });
    if (is_sharded && known > 3) read_megatron(source_, behind(at + 1), findings_);
  }
  void torchrun(std::size_t from) {
    findings_.has_launch = true;
    const Program program_flags = torchrun_flags();
    const std::size_t script = script_at(program_flags, words_, from);
    GivenFlags flags(program_flags, source_, words_.subspan(from, script - from), findings_);
    nodes(flags, "--nnodes", "--nproc-per-node");
    findings_.guess("program", "pytorch", "by torchrun");
    program(script);
  }
  void nodes(GivenFlags& flags, const char* nodes, const char* per_node) {
    if (flags.has("--standalone")) findings_.set("nodes", "1", flags.place("--standalone"));
    const GivenFlag* given = flags.find(nodes);
    if (given != nullptr && !flags.number(nodes) && !given->values.empty())
      findings_.remark(fmt::format("{} {}: set elsewhere", nodes, given->values.front().text),
                       flags.place(nodes));
    if (flags.number(nodes)) flags.count(nodes, "nodes");
    if (flags.number(per_node)) flags.count(per_node, "gpus_per_node");
  }
  void deepspeed(std::size_t from) {
    findings_.has_launch = true;
    const Program table = read_program("deepspeed");
    const std::size_t script = script_at(table, words_, from);
    GivenFlags flags(table, source_, words_.subspan(from, script - from), findings_);
    nodes(flags, "--num_nodes", "--num_gpus");
    findings_.guess("train.stack.framework", "deepspeed 0.18", "by its launcher");
    findings_.guess("program", "deepspeed", "by its launcher");
    program(script);
  }
  void accelerate(std::size_t from) {
    const Program table = read_program("accelerate");
    const std::size_t script = script_at(table, words_, from);
    read_accelerate_flags(source_, words_.subspan(from, script - from), findings_);
  }
  void processes(std::size_t from, const std::string& name) {
    findings_.has_launch = true;
    const Program table = process_flags();
    GivenFlags flags(table, source_, behind(from), findings_);
    flags.count("-np", "world");
    findings_.guess("program", "pytorch", "by " + name);
    findings_.guess("train.stack.framework",
                    name == "horovodrun" ? "horovod" : "distributeddataparallel", "by " + name);
    findings_.guess("train.layout.zero", "0", name + " shards nothing");
  }

  const Source& source_;
  Words words_;
  Findings& findings_;
  std::string_view pool_;
};

}  // namespace

bool read_command(const Source& source, Words words, Findings& findings, std::string_view pool) {
  return CommandReader(source, words, findings, pool).read();
}

bool read_bare_arguments(const Source& source, Words words, Findings& findings) {
  constexpr std::array<const char*, 4> kPrograms{"megatron", "torchtitan", "vllm", "sglang"};
  int best = 0;
  std::string_view chosen;
  for (const char* name : kPrograms) {
    const Program program = read_program(name);
    int score = 0;
    for (const Word& word : words)
      if (word.text.starts_with("--"))
        score += program.find(word.text.substr(0, word.text.find('='))) ? 1 : -1;
    if (score > best) {
      best = score;
      chosen = name;
    }
  }
  if (chosen == "megatron") read_megatron(source, words, findings);
  if (chosen == "torchtitan") read_torchtitan(source, words, findings);
  if (chosen == "vllm") read_vllm(source, words, findings);
  if (chosen == "sglang") read_sglang(source, words, findings);
  return !chosen.empty();
}

}  // namespace loadfactor::launch

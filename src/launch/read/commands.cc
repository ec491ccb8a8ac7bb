// Which programs a command starts, and what its launcher says of nodes and processes.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/error_codes.h"
#include "launch/findings/flags.h"
#include "launch/machines/elsewhere.h"
#include "launch/read/programs/job_step.h"
#include "launch/read/programs/launchers.h"
#include "launch/read/programs/trainer_words.h"
#include "launch/read/readers.h"
#include "launch/vocabulary/reading_tables.h"

namespace loadfactor::launch {
namespace {

// A module of Python that starts a program, and the program.
struct ModuleRow {
  std::string_view module;
  std::string_view program;
};
constexpr std::array kModules{
    ModuleRow{"vllm.entrypoints.openai.api_server", "vllm"},
    ModuleRow{"vllm.entrypoints.api_server", "vllm"},
    ModuleRow{"vllm.entrypoints.cli.main", "vllm"},
    ModuleRow{"dynamo.vllm", "vllm"},
    ModuleRow{"sglang.launch_server", "sglang"},
    ModuleRow{"sglang_router.launch_server", "sglang"},
    ModuleRow{"dynamo.sglang", "sglang"},
    ModuleRow{"torchtitan.train", "torchtitan"},
};

constexpr int kMostNested = 4;  // Commands in words of commands: `ssh host "bash -c '…'"`.

class CommandReader {
 public:
  CommandReader(const Source& source, Words words, Findings& findings, std::string_view pool,
                int depth, Elsewhere there = {})
      : source_(source),
        words_(words),
        findings_(findings),
        pool_(pool),
        depth_(depth),
        there_(std::move(there)) {}

  bool read() {
    if (words_.empty() || is_search()) return false;
    visible();
    const std::string first = base_name(word(0));
    if (first == "helm") return read_helm(source_, words_, findings_), false;
    if (first == "ssh") there_.host = ssh_host(words_);
    if (first == "pdsh" || first == "clush") there_ = many_hosts(words_);
    if ((first == "docker" || first == "podman") && word(1) == "run") {
      there_.host += "/" + container_name(words_);
      container_gpus();
    }
    if (first == "srun") {
      there_ = job_step(words_, findings_.servers().size());
      read_step_share(source_, words_, findings_);
    }
    if (first == "sbatch" && submitted()) return false;
    for (std::size_t i = 0; i < words_.size(); ++i)
      if (read_from(i)) return true;
    if (first == "sbatch") wrapped();
    return read_inner() || read_image();
  }

 private:
  // `docker run --gpus 2`, and `--gpus '"device=0,1"'`.
  void container_gpus() {
    for (std::size_t i = 2; i < words_.size(); ++i) {
      std::string given = option_value(words_, i, "--gpus", "--gpus");
      if (given.empty() || !words_[i].is_known) continue;
      std::erase(given, '"');
      constexpr std::string_view kDevices = "device=";
      const Place place = place_of(source_, words_[i]);
      if (given.starts_with(kDevices))
        return read_visible(std::string_view(given).substr(kDevices.size()), place, findings_);
      constexpr std::int64_t kMaxGpus = 1024;
      const auto count = whole_number(given);
      if (!count || *count < 1 || *count > kMaxGpus) return;
      return read_visible("0" + std::string(static_cast<std::size_t>(*count - 1), ','), place,
                          findings_);
    }
  }
  // `sbatch -N 2 --wrap="vllm serve …"` is a batch script in one line.
  void wrapped() {
    const bool has_script = std::any_of(words_.begin(), words_.end(), [](const Word& each) {
      return each.text.starts_with("--wrap");
    });
    if (has_script)
      read_batch_words(source_, separated_options(words_.subspan(1)), source_, findings_);
  }
  // `sbatch -N 4 train.sbatch`, which names a file.
  bool submitted() {
    const bool has_script = std::any_of(words_.begin(), words_.end(), [](const Word& each) {
      return each.text.starts_with("--wrap");
    });
    return !has_script && read_submission(source_, words_, findings_);
  }
  // Who looks for a server, ends one, or speaks of one, starts none.
  bool is_search() const {
    constexpr std::array<std::string_view, 4> kTalk{"echo", "printf", "logger", "log"};
    if (std::find(kTalk.begin(), kTalk.end(), base_name(word(0))) != kTalk.end()) return true;
    constexpr std::array<std::string_view, 3> kPrograms{"grep", "pgrep", "pkill"};
    return std::any_of(words_.begin(), words_.end(), [&](const Word& each) {
      const std::string_view name = std::string_view(each.text).substr(each.text.rfind('/') + 1);
      return std::find(kPrograms.begin(), kPrograms.end(), name) != kPrograms.end();
    });
  }
  Words behind(std::size_t at) const { return words_.subspan(std::min(at, words_.size())); }
  std::string word(std::size_t at) const {
    return at < words_.size() ? words_[at].text : std::string();
  }
  // A program whose name stands at `at` and whose arguments begin at `from`.
  Invocation call(std::size_t at, std::size_t from) const {
    return {source_, behind(from), place_of(source_, words_[std::min(at, words_.size() - 1)]),
            pool_,   there_.host,  there_.copies};
  }
  // `env CUDA_VISIBLE_DEVICES=0,1 vllm serve …`, and docker's `-e`.
  void visible() {
    constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES=";
    for (const Word& each : words_)
      if (each.text.starts_with(kName) && each.is_known)
        read_visible(std::string_view(each.text).substr(kName.size()), place_of(source_, each),
                     findings_);
  }
  // Whether a word that stands in another one, behind so many characters of it, shares its doubt.
  static bool is_unsure(const Word& whole, const Word& inner, std::size_t cut) {
    if (whole.doubt.empty() || whole.unsure_end == std::string::npos) return !whole.doubt.empty();
    std::size_t from = cut;
    for (std::uint32_t line = 1; line < inner.line && from != std::string::npos; ++line)
      from = whole.text.find('\n', from) + 1;
    from += inner.column - 1;
    return from < whole.unsure_end && from + inner.text.size() > whole.sure;
  }
  // A command in one word: `bash -c "vllm serve …"`, `ssh host "…"`.
  bool read_inner() {
    if (depth_ >= kMostNested) return false;
    bool found = false;
    constexpr std::string_view kWrap = "--wrap=";
    for (const Word& each : words_) {
      const bool is_wrapped = each.text.starts_with(kWrap);
      if (each.text.find(' ') == std::string::npos) continue;
      if (each.text.starts_with("-") && !is_wrapped) continue;
      const std::size_t cut = is_wrapped ? kWrap.size() : 0;
      for (auto command : read_shell(each.text.substr(cut)).commands) {
        for (Word& inner : command) {
          if (inner.doubt.empty() && is_unsure(each, inner, cut)) inner.doubt = each.doubt;
          move_down(inner, each.line - 1, source_.lines.size());
          inner.column = each.column;
          if (inner.origin == nullptr) inner.origin = each.origin;
        }
        found |= CommandReader(source_, command, findings_, pool_, depth_ + 1, there_).read();
      }
    }
    return found;
  }
  // An image that starts a server by itself: `docker run … vllm/vllm-openai --model …`.
  bool read_image() {
    const auto may_be = [](const Word& each) {
      return each.text.find_first_of("/:") != std::string::npos;
    };
    if (std::none_of(words_.begin(), words_.end(), may_be)) return false;
    const Images images;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const std::string program = images.program(words_[i].text);
      if (!program.empty()) return read_program_flags(program, call(i, i + 1), findings_);
    }
    return false;
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
    if (module == "verl.trainer.main_ppo" || name == "main_ppo.py")
      return read_verl(call(i, i + (is_module ? 2 : 1)), findings_), true;
    if (is_maxtext(name, module, words_))
      return read_maxtext(call(i, i + (is_module ? 2 : 1)), findings_), true;
    for (const auto& [theirs, program] : kModules)
      if (module == theirs) return read_program_flags(program, call(i + 1, i + 2), findings_);
    if ((name == "vllm" || name == "sglang") && word(i + 1) == "serve")
      return read_program_flags(name, call(i, i + 2), findings_);
    if (name == "trtllm-serve")
      return read_tensorrt_llm(call(i, i + (word(i + 1) == "serve" ? 2 : 1)), findings_), true;
    if (name == "trtllm-build") return read_tensorrt_build(call(i, i + 1), findings_), true;
    if (name == "trl" && is_trl(word(i + 1))) {
      findings_.has_launch = true;
      findings_.guess("program", "accelerate", "by trl");
      trl(i);
      return read_trainer(call(i, i + 2), findings_), true;
    }
    if ((name == "llamafactory-cli" || name == "axolotl") && word(i + 1) == "train") {
      findings_.set(kPlainLauncher, name, place_of(source_, words_[i]));
      return configured(i + 2), true;
    }
    if (name == "swift" && is_swift(word(i + 1)))
      return read_swift(call(i, i + 2), findings_), true;
    if (word(i).ends_with("swift/cli/sft.py")) return read_swift(call(i, i + 1), findings_), true;
    if (name == "swift" && is_other_swift(word(i + 1))) return refuse_swift(i), true;
    if (name == "run_train.sh") return titan_script(i), true;
    if (is_megatron(name)) return read_megatron(call(i, i + 1), findings_), true;
    if (name.starts_with("python") && is_trainer(words_, i + 1)) return trainer(i + 1), true;
    return false;
  }
  void trainer(std::size_t script) {
    findings_.has_launch = true;
    trl(script);
    read_trainer(call(script, script + 1), findings_);
    const bool is_deepspeed = findings_.find("train.stack.framework") != nullptr &&
                              findings_.find("train.stack.framework")->value.starts_with("deep");
    findings_.guess("program", is_deepspeed ? "deepspeed" : "pytorch", "by its arguments");
    findings_.set(kPlainProcess, "seen", place_of(source_, words_[script]));
  }
  // LLaMA-Factory and Axolotl are told everything by a file.
  void configured(std::size_t from) {
    for (std::size_t i = from; i < words_.size(); ++i) {
      const std::string& file = words_[i].text;
      const bool is_file =
          file.ends_with(".yaml") || file.ends_with(".yml") || file.ends_with(".json");
      if (!is_file || findings_.is_given(file)) continue;
      findings_.error(lf::kNothingLaunched, place_of(source_, words_[i]),
                      fmt::format("'{}' says what is trained, and is not among the files", file),
                      fmt::format("loadfactor read {} {}", source_.shown(), file));
    }
  }
  // torchtitan's own script starts the GPUs of one node.
  void titan_script(std::size_t i) {
    read_torchtitan(call(i, i + 1), findings_);
    findings_.guess("gpus_per_node", "8", "run_train.sh's default");
    findings_.guess("nodes", "1", "run_train.sh's default");
  }
  // The Trainers of TRL: `trl dpo …`, `-m trl dpo …`, `trl/scripts/dpo.py …`.
  void trl(std::size_t at) {
    if (word(at) == "-m" || word(at) == "--module") ++at;
    const bool is_command = base_name(word(at)) == "trl";
    const bool is_script = word(at).find("trl/") != std::string::npos && word(at).ends_with(".py");
    if (!is_command && !is_script) return;
    const Place place = place_of(source_, words_[at]);
    findings_.set(kPlainTrl, "seen", place);
    std::string kind = is_command ? word(at + 1) : base_name(word(at));
    kind = kind.substr(0, kind.find('.'));
    if (kind == "dpo") return findings_.guess("train.method", "dpo", "by the name of the trainer");
    if (kind != "sft")
      findings_.remark(
          fmt::format("trl {}: what is learned from answers is not read: write method", kind),
          place);
  }
  void refuse_swift(std::size_t i) {
    findings_.error(lf::kNothingLaunched, place_of(source_, words_[i]),
                    fmt::format("'swift {}' starts an engine in words of its own, which are not "
                                "read",
                                word(i + 1)),
                    "give the engine's own line, or its log: `vllm serve …`, `sglang serve …`");
  }
  // What a launcher starts: a program that we know, or one of the user's own.
  void program(std::size_t at) {
    if (at >= words_.size()) return;
    const std::string name = base_name(word(at));
    if (word(at).ends_with("swift/cli/sft.py")) return read_swift(call(at, at + 1), findings_);
    if (is_neuronx(words_, at)) return read_neuronx(call(at, at + 1), findings_);
    if (name == "-m" || name == "--module") {
      if (word(at + 1) == "torchtitan.train")
        return read_torchtitan(call(at + 1, at + 2), findings_);
      trl(at);
      return read_trainer(call(at + 1, at + 2), findings_);
    }
    if (is_megatron(name)) return read_megatron(call(at, at + 1), findings_);
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
    if (is_sharded && known > 3) return read_megatron(call(at, at + 1), findings_);
    trl(at);
    read_trainer(call(at, at + 1), findings_);
  }
  void torchrun(std::size_t from) {
    findings_.has_launch = true;
    const Program program_flags = torchrun_flags();
    const auto [script, open] = launcher_words(program_flags, words_, from);
    GivenFlags flags(program_flags, source_, words_.subspan(from, script - from), findings_);
    const char* const ranks = is_neuronx(words_, script) ? kNeuronRanks : "gpus_per_node";
    nodes(flags, "--nnodes", "--nproc-per-node", ranks);
    if (open != nullptr) {
      leave_open(*open, flags, "--nnodes", "nodes");
      leave_open(*open, flags, "--nproc-per-node", ranks);
    }
    if (flags.find("--nnodes") == nullptr) findings_.guess("nodes", "1", "torchrun's default");
    if (flags.find("--nproc-per-node") == nullptr && open == nullptr && !is_neuronx(words_, script))
      findings_.set(kPlainTorchrun, "seen", place_of(source_, words_[from - 1]));
    program(script);
    findings_.set(kPlainScript, "seen", place_of(source_, words_[from - 1]));
    findings_.guess("program", "pytorch", "by torchrun");
  }
  // A flag of a launcher that a word which is set elsewhere may give.
  void leave_open(const Word& word, const GivenFlags& flags, const char* flag, const char* key) {
    if (flags.find(flag) == nullptr)
      findings_.leave_open(key, place_of(source_, word),
                           fmt::format("{} may give {}, and is set elsewhere", word.text, flag));
  }
  void nodes(GivenFlags& flags, const char* nodes, const char* per_node,
             const char* ranks = "gpus_per_node") {
    if (flags.has("--standalone")) findings_.set("nodes", "1", flags.place("--standalone"));
    flags.count(nodes, "nodes");
    flags.count(per_node, ranks);
    for (const char* name : {nodes, per_node}) {
      const std::string text = flags.text(name);
      if (!text.empty() && !flags.number(name))
        findings_.leave_open(name == nodes ? "nodes" : ranks, flags.place(name),
                             fmt::format("{} is {}", name, text));
    }
  }
  void deepspeed(std::size_t from) {
    findings_.has_launch = true;
    const Program table = read_program("deepspeed");
    const auto [script, open] = launcher_words(table, words_, from);
    GivenFlags flags(table, source_, words_.subspan(from, script - from), findings_);
    nodes(flags, "--num_nodes", "--num_gpus");
    if (open != nullptr) {
      leave_open(*open, flags, "--num_nodes", "nodes");
      leave_open(*open, flags, "--num_gpus", "gpus_per_node");
    }
    included(flags);
    if (flags.find("--include") == nullptr && flags.find("--num_nodes") == nullptr &&
        flags.find("--hostfile") == nullptr)
      findings_.guess("nodes", "1", "no hostfile is named");
    findings_.guess("train.stack.framework", "deepspeed 0.18", "by its launcher");
    program(script);
    findings_.guess("program", "deepspeed", "by its launcher");
  }
  // The hosts that are taken or left are counted once the hostfile is known.
  static void included(const GivenFlags& flags) {
    for (const auto& [flag, key] :
         {std::pair("--include", kIncludedHosts), std::pair("--exclude", kExcludedHosts)})
      if (!flags.text(flag).empty() && !flags.leaves_open(flag, "world"))
        flags.say(flag, key, flags.text(flag));
  }
  void accelerate(std::size_t from) {
    const Program table = read_program("accelerate");
    const std::size_t script = launcher_words(table, words_, from).script;
    read_accelerate_flags(
        {source_, words_.subspan(from, script - from), place_of(source_, words_[from - 1]), pool_},
        findings_);
    if (script >= words_.size()) return;
    trl(script);
    read_trainer(call(script, script + 1), findings_);
  }
  void processes(std::size_t from, const std::string& name) {
    findings_.has_launch = true;
    const Program table = process_flags();
    const std::size_t script = program_behind(from);
    GivenFlags flags(table, source_, words_.subspan(from, script - from), findings_);
    const auto ranks = flags.number("-np");
    if (read_tensorrt_ranks(call(script, script), ranks, findings_)) return;
    flags.count("-np", "world");
    if (started_behind(script)) return;
    findings_.guess("program", "pytorch", "by " + name);
    findings_.guess("train.stack.framework",
                    name == "horovodrun" ? "horovod" : "distributeddataparallel", "by " + name);
    findings_.guess("train.layout.zero", "0", name + " shards nothing");
  }

  // Where the program of a launcher of processes begins: Python, or a script of it.
  std::size_t program_behind(std::size_t from) const {
    for (std::size_t i = from; i < words_.size(); ++i) {
      const std::string name = base_name(word(i));
      if (name.starts_with("python") || name.ends_with(".py") || name == "vllm" ||
          name == "sglang" || name == "trtllm-serve" || name.starts_with("trtllm-llmapi"))
        return i;
    }
    return words_.size();
  }
  // Whether the processes are of a program that we know: Megatron, or an engine.
  bool started_behind(std::size_t script) {
    for (std::size_t i = script; i < words_.size(); ++i) {
      if (read_from(i)) return true;
      const std::string name = base_name(word(i));
      if (!name.ends_with(".py")) continue;
      program(i);
      return findings_.find("train.stack.framework") != nullptr &&
             findings_.find("train.stack.framework")->value == "megatron-lm";
    }
    return false;
  }

  const Source& source_;
  Words words_;
  Findings& findings_;
  std::string_view pool_;
  int depth_;
  Elsewhere there_;
};

}  // namespace

bool read_command(const Source& source, Words words, Findings& findings, std::string_view pool) {
  return CommandReader(source, words, findings, pool, 0).read();
}

}  // namespace loadfactor::launch

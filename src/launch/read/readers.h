// One reader for each thing that a launch is written in.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/findings/findings.h"
#include "launch/findings/own_keys.h"
#include "launch/machines/machines.h"
#include "launch/shell/shell.h"

namespace loadfactor::config {
struct Document;
struct Node;
}  // namespace loadfactor::config

namespace loadfactor::launch {

// A program that is started: its arguments, and where its name stands.
struct Invocation {
  const Source& source;
  Words words;
  Place at;
  std::string_view pool = {};  // prefill or decode; empty: as the flags say.
  std::string host = {};       // Where it starts; empty: here,
  std::int64_t copies = 1;     // and how often at once.
  bool is_dump = false;        // Whether all arguments are there, defaults among them.
};

// Arguments of programs.
void read_megatron(const Invocation& call, Findings& findings);
void read_torchtitan(const Invocation& call, Findings& findings);
void read_vllm(const Invocation& call, Findings& findings);
void read_sglang(const Invocation& call, Findings& findings);
void read_tensorrt_llm(const Invocation& call, Findings& findings);
// What an engine of TensorRT-LLM is built for, and the ranks that run one; whether it is one.
void read_tensorrt_build(const Invocation& call, Findings& findings);
bool read_tensorrt_ranks(const Invocation& call, std::optional<std::int64_t> ranks,
                         Findings& findings);
void read_accelerate_flags(const Invocation& call, Findings& findings);
// MaxText's configuration and the words that override it; what both say is settled together.
bool looks_like_maxtext(const config::Node& root);
void read_maxtext_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_maxtext(const Invocation& call, Findings& findings);
void settle_maxtext(Findings& findings);
// NeuronX Distributed Training, likewise. Its ranks are cores, and those of a scenario chips.
bool looks_like_neuronx(const config::Node& root);
void read_neuronx_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_neuronx(const Invocation& call, Findings& findings);
void settle_neuronx(Findings& findings);
inline constexpr const char* kNeuronRanks = "neuronx.trainer.devices";  // On a node.
inline constexpr const char* kNeuronJoined = "neuronx.joined";  // Cores that are shown as one.
void read_verl(const Invocation& call, Findings& findings);
// `swift sft …` of ms-swift.
void read_swift(const Invocation& call, Findings& findings);
// A script of the user's own that trains with the Trainer of Hugging Face.
void read_trainer(const Invocation& call, Findings& findings);
// Its arguments in a file, as LLaMA-Factory, TRL and Axolotl take them.
bool looks_like_trainer(const config::Node& root);
void read_trainer_yaml(const Source& source, const config::Node& root, Findings& findings);

// A strategy of PyTorch's first FSDP, by its name or number: the stage of ZeRO that it is, and
// whether it shards within a node alone. Nothing where there is no such strategy.
struct StrategySharding {
  int zero = 3;
  bool is_hybrid = false;
};
std::optional<StrategySharding> sharding_of(std::string_view strategy);
// What accelerate runs on: replicas alone, or shards.
std::string accelerate_framework(const Findings& findings);
void refuse_sharding(const std::string& strategy, const Place& place, Findings& findings);

// What servers of several pools say together, in whatever order they are started.
void join_pools(Findings& findings);

// The key of the nodes that one replica of a pool is spread over.
std::string nodes_key(std::string_view pool);
// By the name of a table: `vllm`; whether there is such a reader.
bool read_program_flags(std::string_view program, const Invocation& call, Findings& findings);
// The programs that a command starts; whether there was one.
bool read_command(const Source& source, Words words, Findings& findings,
                  std::string_view pool = {});
// Arguments alone: of the program whose flags they are.
bool read_bare_arguments(const Source& source, Words words, Findings& findings);

// Whole files.
// The log of a server that says at its start how it runs.
bool looks_like_server_log(const Source& source);
void read_server_log(const Source& source, Findings& findings);
void read_script(const Source& source, Findings& findings);
// How a script is started: its environment, its arguments where they are known, and its pool.
struct ScriptStart {
  Variables variables = {};
  const std::vector<Word>* arguments = nullptr;
  std::string_view pool = {};
};
// Whether it starts a program that we know.
bool read_script(const Source& source, const ScriptStart& start, Findings& findings);
// The GPUs that `CUDA_VISIBLE_DEVICES` leaves a program.
void read_visible(std::string_view devices, const Place& place, Findings& findings);
// What a script writes, or hands to other programs; `launches`: whether it also starts something
// itself.
void read_here_documents(const Source& source, const ShellText& script, bool launches,
                         Findings& findings);
void read_dockerfile(const Source& source, Findings& findings);
// A program in Python that loads an engine itself.
bool looks_like_python(const Source& source);
void read_python(const Source& source, Findings& findings);
// A unit of systemd.
bool looks_like_unit(const Source& source);
void read_unit(const Source& source, Findings& findings);
void read_processes(const Source& source, Findings& findings);
void read_argument_dump(const Source& source, Findings& findings);
// Whether a TOML has sections and keys of torchtitan.
bool looks_like_titan(const Source& source);
void read_toml(const Source& source, Findings& findings);
void name_titan_model(Findings& findings);
std::string titan_products(std::string_view converters);
void remark_titan_gather(const Place& place, Findings& findings);
void convert_titan_products(Findings& findings);
void join_machine(Findings& findings);
// Whether a text may hold a ConfigMap; its values are kept before any pod is read, whichever file
// that stands in.
bool holds_values(const std::string& text);
void keep_values(const Source& source, Findings& findings);
void read_documents(const Source& source, Findings& findings, bool is_json);
// verl's configuration, as Hydra loads it.
bool looks_like_verl(const config::Node& root);
void read_verl_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_deepspeed_json(const Source& source, const config::Node& root, Findings& findings);
void read_accelerate_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_tensorrt_yaml(const Source& source, const config::Node& root, Findings& findings);
// The engine whose flags a file holds: of two, the one that is started; empty where it is
// neither's.
std::string_view engine_of_flags(const config::Node& root, const Findings& findings);
void read_engine_yaml(std::string_view engine, const Source& source, const config::Node& root,
                      Findings& findings);
void read_manifest(const Source& source, const config::Node& root, Findings& findings);
// KServe's own kind for language models: vLLM, whose degrees are fields.
void read_llm_service(const Source& source, const config::Node& root, Findings& findings);
// Scalers of replicas: KEDA's, that of Kubernetes, those of KServe and Knative.
void read_keda_scaler(const Source& source, const config::Node& spec, Findings& findings);
void read_horizontal_scaler(const Source& source, const config::Node& root, Findings& findings);
// The replicas of a predictor; nothing where it scales them itself.
const config::Node* read_predictor_scaler(const Source& source, const config::Node& predictor,
                                          Findings& findings);
void read_knative_scaler(const Source& source, const config::Node& annotations, Findings& findings);
// Values of charts: those of a model of vLLM's production stack, and of any chart whose image
// starts a program that we know; false where no argument of it stands in them.
void read_stack_model(const Source& source, const config::Node& model, Findings& findings);
bool read_chart(const Source& source, const config::Node& values, const std::string& program,
                Findings& findings);
// Tasks of SkyPilot.
bool looks_like_sky_task(const config::Node& root);
void read_sky_task(const Source& source, const config::Node& root, Findings& findings);
// Applications of Ray Serve that serve models with vLLM.
void read_ray_serve(const Source& source, const config::Node& root, Findings& findings);
// What `helm --set` puts in place of the values of a chart: where a command says it, and in them.
void read_helm(const Source& source, Words words, Findings& findings);
void apply_settings(const Source& source, config::Node& root, Findings& findings);

// Lines of a script that speak to others: `#SBATCH`, and our own marks.
void read_sbatch(const Source& source, const ShellText& script, Findings& findings);
// The words of one job, where they stand, and the script that it runs.
void read_batch_words(const Source& source, Words words, const Source& script, Findings& findings);
// Options of Slurm whose value is written without a blank, `-N4`, as two words.
std::vector<Word> separated_options(Words words);
// `sbatch -N 4 train.sbatch`: kept until that script is read; false where no script is named.
bool read_submission(const Source& source, Words words, Findings& findings);
// The nodes of a job, and their GPUs, of which its steps may take a part.
inline constexpr const char* kJobNodes = "job_nodes";
inline constexpr const char* kJobGpus = "job_gpus_per_node";
void read_marks(const Source& source, const ShellText& script, Findings& findings);
// The variables of programs that have no table.
void read_variables(const Source& source, const ShellText& script, Findings& findings);

// By the look of it.
void read_any(const Source& source, Findings& findings);

// Programs whose own defaults stand where nothing is said: what was seen of each, where it stands.
inline constexpr const char* kPlainMixed = "plain.mixed_precision";
inline constexpr const char* kPlainDeepspeed = "plain.deepspeed";
inline constexpr const char* kPlainMegatron = "plain.megatron";
inline constexpr const char* kPlainTrl = "plain.trl";
inline constexpr const char* kPlainTrainer = "plain.trainer";
inline constexpr const char* kPlainFactory = "plain.llamafactory";
inline constexpr const char* kPlainAccelerate = "plain.accelerate";
inline constexpr const char* kPlainScript = "plain.script";
inline constexpr const char* kPlainMaxText = "plain.maxtext";
inline constexpr const char* kPlainSwift = "plain.swift";
inline constexpr const char* kPlainNeuron = "plain.neuronx";
inline constexpr const char* kPlainLauncher = "plain.launcher";  // That a file tells everything.
inline constexpr const char* kPlainTorchrun = "plain.torchrun";  // Without --nproc-per-node.
inline constexpr const char* kPlainProcess = "plain.process";    // Without any launcher.
void apply_defaults(Findings& findings);

// What follows from what was found: ranks, batches, tokens; contradictions between them.
void complete(Findings& findings);
// What no program would start: layers, heads and experts that do not divide, fewer GPUs than ranks.
void check_shapes(Findings& findings);

}  // namespace loadfactor::launch

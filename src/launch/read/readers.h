// One reader for each thing that a launch is written in.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "launch/read/findings.h"
#include "launch/read/shell.h"

namespace loadfactor::config {
struct Document;
struct Node;
}  // namespace loadfactor::config

namespace loadfactor::launch {

using Words = std::span<const Word>;

// Arguments of programs.
void read_megatron(const Source& source, Words words, Findings& findings);
void read_torchtitan(const Source& source, Words words, Findings& findings);
// `pool`: prefill or decode; empty: as the flags say.
void read_vllm(const Source& source, Words words, Findings& findings, std::string_view pool = {});
void read_sglang(const Source& source, Words words, Findings& findings, std::string_view pool = {});
void read_tensorrt_llm(const Source& source, Words words, Findings& findings);
void read_accelerate_flags(const Source& source, Words words, Findings& findings);

// The programs that a command starts; whether there was one.
bool read_command(const Source& source, Words words, Findings& findings,
                  std::string_view pool = {});
// Arguments alone: of the program whose flags they are.
bool read_bare_arguments(const Source& source, Words words, Findings& findings);

// Whole files.
void read_script(const Source& source, Findings& findings);
void read_dockerfile(const Source& source, Findings& findings);
void read_processes(const Source& source, Findings& findings);
void read_argument_dump(const Source& source, Findings& findings);
void read_toml(const Source& source, Findings& findings);
void read_device_list(const Source& source, Findings& findings);
void read_topology(const Source& source, Findings& findings);
void read_node_list(const Source& source, Findings& findings);
void read_documents(const Source& source, Findings& findings, bool is_json);
void read_deepspeed_json(const Source& source, const config::Node& root, Findings& findings);
void read_accelerate_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_tensorrt_yaml(const Source& source, const config::Node& root, Findings& findings);
void read_manifest(const Source& source, const config::Node& root, Findings& findings);

// Lines of a script that speak to others: `#SBATCH`, and our own marks.
void read_sbatch(const Source& source, const ShellText& script, Findings& findings);
void read_marks(const Source& source, const ShellText& script, Findings& findings);
// The variables of programs that have no table.
void read_variables(const Source& source, const ShellText& script, Findings& findings);

// By the look of it.
void read_any(const Source& source, Findings& findings);

// What follows from what was found: ranks, batches, tokens; contradictions between them.
void complete(Findings& findings);

}  // namespace loadfactor::launch

// By which words of a command trainers are known.
#pragma once

#include <cstddef>
#include <string>

#include "launch/shell/shell.h"

namespace loadfactor::launch {

// `-m MaxText.train` and its newer names, or the file itself.
bool is_maxtext(const std::string& name, const std::string& module, Words words);
// A script of the user's own, without a launcher, that trains with the Trainer: it is told the
// size of a batch, or a configuration of DeepSpeed.
bool is_trainer(Words words, std::size_t script);
bool is_megatron(const std::string& name);
// A trainer of TRL.
bool is_trl(const std::string& kind);
// The trainer of NeuronX Distributed Training, which Hydra configures.
bool is_neuronx(Words words, std::size_t at);
bool is_swift(const std::string& kind);
// What ms-swift does beside training, with engines that it starts itself.
bool is_other_swift(const std::string& kind);

}  // namespace loadfactor::launch

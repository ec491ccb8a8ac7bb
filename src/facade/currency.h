// Questions whose money is in another currency than US dollars.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/document.h"
#include "engine/core.h"
#include "loadfactor/ask.h"
#include "loadfactor/result.h"

namespace loadfactor::facade {

// The currency that a question is answered in; none: US dollars. An error where two that are
// compared have two, or where the answer is for programs that count in dollars.
Result<std::optional<config::Currency>> currency_of(const Question& question);

// The question with what it asks for in US dollars beside its scenario converted.
Question in_currency(Question question, const config::Currency& currency);

// The answer in the words of its currency. It keeps the engine that it may refer to.
Answer in_words_of(const config::Currency& currency, Answer answer,
                   std::shared_ptr<const engine::Core> core);
Error in_words_of(const config::Currency& currency, Error error);

// A gate as it is written, and with dollars for every word that could be a currency.
std::vector<std::string> readings_of_gate(const std::string& gate);
// `cost <= 5000 EUR/month`, as gates are read; an error where it is in dollars.
Result<std::string> gate_text(const std::string& gate,
                              const std::optional<config::Currency>& currency);
// That of a scenario.
std::optional<config::Currency> currency_of(const config::Scenario& scenario);

}  // namespace loadfactor::facade

// Copying and destroying the large parts of a scenario, compiled once instead of in every unit that
// does.
#include "loadfactor/scenario.h"

namespace loadfactor::config {

Deployment::Deployment() = default;
Deployment::Deployment(const Deployment&) = default;
Deployment::Deployment(Deployment&&) noexcept = default;
Deployment& Deployment::operator=(const Deployment&) = default;
Deployment& Deployment::operator=(Deployment&&) noexcept = default;
Deployment::~Deployment() = default;

ServeSection::ServeSection() = default;
ServeSection::ServeSection(const ServeSection&) = default;
ServeSection::ServeSection(ServeSection&&) noexcept = default;
ServeSection& ServeSection::operator=(const ServeSection&) = default;
ServeSection& ServeSection::operator=(ServeSection&&) noexcept = default;
ServeSection::~ServeSection() = default;

MethodSection::MethodSection() = default;
MethodSection::MethodSection(const MethodSection&) = default;
MethodSection::MethodSection(MethodSection&&) noexcept = default;
MethodSection& MethodSection::operator=(const MethodSection&) = default;
MethodSection& MethodSection::operator=(MethodSection&&) noexcept = default;
MethodSection::~MethodSection() = default;

TrainSection::TrainSection() = default;
TrainSection::TrainSection(const TrainSection&) = default;
TrainSection::TrainSection(TrainSection&&) noexcept = default;
TrainSection& TrainSection::operator=(const TrainSection&) = default;
TrainSection& TrainSection::operator=(TrainSection&&) noexcept = default;
TrainSection::~TrainSection() = default;

Scenario::Scenario() = default;
Scenario::Scenario(const Scenario&) = default;
Scenario::Scenario(Scenario&&) noexcept = default;
Scenario& Scenario::operator=(const Scenario&) = default;
Scenario& Scenario::operator=(Scenario&&) noexcept = default;
Scenario::~Scenario() = default;

AlternativeSection::AlternativeSection() = default;
AlternativeSection::AlternativeSection(const AlternativeSection&) = default;
AlternativeSection::AlternativeSection(AlternativeSection&&) noexcept = default;
AlternativeSection& AlternativeSection::operator=(const AlternativeSection&) = default;
AlternativeSection& AlternativeSection::operator=(AlternativeSection&&) noexcept = default;
AlternativeSection::~AlternativeSection() = default;

Money::Money() = default;
Money::Money(const Money&) = default;
Money::Money(Money&&) noexcept = default;
Money& Money::operator=(const Money&) = default;
Money& Money::operator=(Money&&) noexcept = default;
Money::~Money() = default;

}  // namespace loadfactor::config

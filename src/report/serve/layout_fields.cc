// The layout of a service, described once for all answers that have one.
#include "loadfactor/layout.h"
#include "report/describe/describe.h"

namespace loadfactor::report {

template <>
constexpr auto kFields<ServeLayout> = fields<ServeLayout>(
    field<&ServeLayout::tp>("tp", "GPUs that share the heads and widths of a layer"),
    field<&ServeLayout::pp>("pp", "Pipeline stages"),
    field<&ServeLayout::ep>("ep", "GPUs that the experts of a layer are spread over"),
    field<&ServeLayout::dp>("dp", "Copies of the attention in a replica"),
    field<&ServeLayout::cp>("cp", "GPUs that share the tokens of a prompt"),
    field<&ServeLayout::replicas>("replicas", "Copies of the model that share the requests"),
    field<&ServeLayout::gpus>("gpus", "GPUs of the whole deployment"));

Value to_value(const ServeLayout& layout) {
  return described_value<ServeLayout>(layout, kFields<ServeLayout>);
}
Value schema_of(Type<ServeLayout>) {
  return described_schema<ServeLayout>(kFields<ServeLayout>);
}

}  // namespace loadfactor::report

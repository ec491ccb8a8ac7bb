// The description of where a number comes from.
#include <string>
#include <utility>

#include "base/quantity_text.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/explanation.h"

namespace loadfactor::report {
namespace {

using engine::ExplainNode;

constexpr std::string_view kOperations[] = {"leaf",     "sum",   "difference", "product",
                                            "quotient", "power", "floor"};

std::string_view operation_of(const ExplainNode& node) {
  return words_of(node.operation);
}
double value_of(const ExplainNode& node) {
  return node.value.value;
}
std::string unit_of(const ExplainNode& node) {
  return base_unit(node.value.dimension);
}

// The number that was asked for.
struct Explained {
  std::string quantity;
  const ExplainNode& tree;
};

}  // namespace

// A tree is described by the name of its description, since it holds trees.
template <>
constexpr std::array<Field<ExplainNode>, 6> kFields<ExplainNode> = {
    field<&ExplainNode::name>("name", "What it is"),
    field<operation_of>("op", "How it follows from its children; a leaf has none")
        .one_of(kOperations),
    field<value_of>("value", "The number; the operation on the values of the children gives it"),
    field<unit_of>("unit", "A coherent unit, so that no factor is needed between levels")
        .at_least(1),
    field<&ExplainNode::source>("source",
                                "File and line of a leaf, or ids of SOURCES.md; empty otherwise"),
    field<&ExplainNode::children>("children", "What it is made of, in the order of the operation")};

Value to_value(const ExplainNode& tree) {
  return described_value<ExplainNode>(tree, kFields<ExplainNode>);
}
Value schema_of(Type<ExplainNode>) {
  return Value::Object{{"$ref", "#/definitions/node"}};
}

template <>
constexpr auto kFields<Explained> = fields<Explained>(
    field<&Explained::quantity>("quantity", "What was asked"),
    field<Explained>(
        "tree", [](const Explained& e) { return e.tree; }, "The tree of the number"));

AnswerSchema explain_schema() {
  return {"explain",
          "explain",
          "Answer of `loadfactor explain QUANTITY SCENARIO`",
          "The tree of a number down to its sources. Every node can be computed again from its "
          "children.",
          scenario_schema(),
          schema_of(Type<Explained>()),
          Value::Object{{"node", described_schema<ExplainNode>(kFields<ExplainNode>)}}};
}

std::string explain_json(const ExplainNode& tree, const ExplainedQuantity& asked) {
  return print_json(envelope("explain", scenario_value(asked.scenario, asked.file),
                             to_value(Explained{asked.quantity, tree}), {}, {}));
}

}  // namespace loadfactor::report

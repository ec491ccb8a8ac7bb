// The description of where a number comes from.
#include <string>
#include <utility>

#include "base/quantity_text.h"
#include "report/describe/describe.h"
#include "report/describe/envelope.h"
#include "report/describe/tree.h"
#include "report/explain/explain_words.h"
#include "report/explain/explanation.h"

namespace loadfactor::report {
namespace {

using engine::ExplainNode;

// A node with its name written out, since a name comes from the answers' descriptions.
struct NamedNode {
  std::string name;
  std::string id;
  const ExplainNode* node = nullptr;
  std::vector<NamedNode> children;
};

NamedNode named(const ExplainNode& node, const ExplainWords& words) {
  NamedNode out{words.name_of(node), std::string(id_of(node.term)), &node, {}};
  for (const ExplainNode& child : node.children) out.children.push_back(named(child, words));
  return out;
}

constexpr std::string_view kOperations[] = {"leaf",  "sum",   "difference", "product", "quotient",
                                            "power", "floor", "ceil",       "choice"};

std::string_view operation_of(const NamedNode& named) {
  return name_of(named.node->operation);
}
double value_of(const NamedNode& named) {
  return named.node->value.value;
}
std::string term_unit(const NamedNode& named) {
  return base_unit(named.node->value.dimension);
}
std::string source_of(const NamedNode& named) {
  return named.node->source;
}
std::int64_t rows_of(const NamedNode& named) {
  return named.node->evidence.rows;
}
std::string rows_from(const NamedNode& named) {
  return named.node->evidence.source;
}
Value to_value(const NamedNode& tree);
Value schema_of(Type<NamedNode>) {
  return Value::Object{{"$ref", "#/definitions/node"}};
}

// The number that was asked for.
struct Explained {
  std::string quantity;
  NamedNode tree;
};

}  // namespace

// A tree is described by the name of its description, since it holds trees.
template <>
constexpr std::array<Field<NamedNode>, 9> kFields<NamedNode> = {
    field<&NamedNode::name>("name", "What it is, in words"),
    field<operation_of>("op", "How it follows from its children; a leaf has none")
        .one_of(kOperations),
    field<value_of>("value", "The number; the operation on the values of the children gives it"),
    field<term_unit>("unit", "A coherent unit, so that no factor is needed between levels")
        .at_least(1),
    field<source_of>("source", "File and line of a leaf, or ids of SOURCES.md; empty otherwise"),
    field<&NamedNode::children>("children", "What it is made of, in the order of the operation"),
    field<&NamedNode::id>("id", "Stable id of what it is"),
    field<rows_of>("rows", "Rows of data that a leaf was fitted to; 0 where none were counted")
        .at_least(0),
    field<rows_from>("rows_from", "Whose those are, by ids of SOURCES.md; empty otherwise")};

namespace {
Value to_value(const NamedNode& tree) {
  return described_value<NamedNode>(tree, kFields<NamedNode>);
}
}  // namespace

Value to_value(const ExplainNode& tree) {
  return to_value(named(tree, ExplainWords()));
}
Value schema_of(Type<ExplainNode>) {
  return schema_of(Type<NamedNode>());
}

template <>
constexpr auto kFields<Explained> =
    fields<Explained>(field<&Explained::quantity>("quantity", "What was asked"),
                      field<&Explained::tree>("tree", "The tree of the number"));

AnswerSchema explain_schema() {
  return {"explain",
          "explain",
          "Answer of `loadfactor explain QUANTITY SCENARIO`",
          "The tree of a number down to its sources. Every node can be computed again from its "
          "children.",
          scenario_schema(),
          schema_of(Type<Explained>()),
          Value::Object{{"node", described_schema<NamedNode>(kFields<NamedNode>)}}};
}

std::string explain_json(const ExplainNode& tree, const ExplainedQuantity& asked) {
  return print_json(envelope("explain", scenario_value(asked.scenario, asked.file),
                             to_value(Explained{asked.quantity, named(tree, ExplainWords())}), {},
                             {}));
}

}  // namespace loadfactor::report

// Every answer as a tree of plain data and as a JSON Schema. This header only declares; each
// answer is described in a .cc file of its own. A struct that one such file alone uses needs no
// line here.
#pragma once

#include "loadfactor/value.h"

namespace loadfactor {

struct CostAnswer;
struct FitAnswer;
struct OptionName;
struct RivalOption;
struct ScaleAnswer;
struct SearchAnswer;
struct ServeAnswer;
struct ServeLayout;
struct SimulateAnswer;
struct TrainAnswer;
struct TrainLayout;
struct WholeRun;

namespace engine {
struct AuditAnswer;
struct ClusterFill;
struct DemandAnswer;
struct DiffAnswer;
struct ExplainNode;
struct FillAnswer;
struct PlanAnswer;
struct PlanOption;
struct PlanPromise;
struct PlanRegions;
struct PlanYears;
struct SiteYears;
struct SizeAnswer;
}  // namespace engine

namespace report {

// Names a type in a call.
template <typename T>
struct Type {};

Value to_value(const OptionName& name);
Value to_value(const RivalOption& rival);
Value to_value(const ServeLayout& layout);
Value to_value(const TrainLayout& layout);
Value to_value(const WholeRun& run);
Value to_value(const FitAnswer& answer);
Value to_value(const ServeAnswer& answer);
Value to_value(const SimulateAnswer& answer);
Value to_value(const engine::SizeAnswer& answer);
Value to_value(const engine::FillAnswer& answer);
Value to_value(const engine::ClusterFill& answer);
Value to_value(const CostAnswer& answer);
Value to_value(const TrainAnswer& answer);
Value to_value(const SearchAnswer& answer);
Value to_value(const ScaleAnswer& answer);
Value to_value(const engine::PlanAnswer& answer);
Value to_value(const engine::PlanOption& option);
Value to_value(const engine::PlanPromise& promise);
Value to_value(const engine::PlanRegions& regions);
Value to_value(const engine::PlanYears& years);
Value to_value(const engine::SiteYears& years);
Value to_value(const engine::DiffAnswer& answer);
Value to_value(const engine::DemandAnswer& answer);
Value to_value(const engine::AuditAnswer& answer);
Value to_value(const engine::ExplainNode& tree);

Value schema_of(Type<OptionName>);
Value schema_of(Type<RivalOption>);
Value schema_of(Type<ServeLayout>);
Value schema_of(Type<TrainLayout>);
Value schema_of(Type<WholeRun>);
Value schema_of(Type<FitAnswer>);
Value schema_of(Type<ServeAnswer>);
Value schema_of(Type<SimulateAnswer>);
Value schema_of(Type<engine::SizeAnswer>);
Value schema_of(Type<engine::FillAnswer>);
Value schema_of(Type<engine::ClusterFill>);
Value schema_of(Type<CostAnswer>);
Value schema_of(Type<TrainAnswer>);
Value schema_of(Type<SearchAnswer>);
Value schema_of(Type<ScaleAnswer>);
Value schema_of(Type<engine::PlanAnswer>);
Value schema_of(Type<engine::PlanOption>);
Value schema_of(Type<engine::PlanPromise>);
Value schema_of(Type<engine::PlanRegions>);
Value schema_of(Type<engine::PlanYears>);
Value schema_of(Type<engine::SiteYears>);
Value schema_of(Type<engine::DiffAnswer>);
Value schema_of(Type<engine::DemandAnswer>);
Value schema_of(Type<engine::AuditAnswer>);
Value schema_of(Type<engine::ExplainNode>);

}  // namespace report
}  // namespace loadfactor

// Makers of all forms; one file for each group of verbs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "facade/forms/form.h"

namespace loadfactor::facade {

std::unique_ptr<Form> plan_form();
std::unique_ptr<Form> diff_form();
std::unique_ptr<Form> explain_form();
std::unique_ptr<Form> fit_form();
std::unique_ptr<Form> train_form();
std::unique_ptr<Form> serve_form();
std::unique_ptr<Form> fill_form();
std::unique_ptr<Form> cost_form();
std::unique_ptr<Form> demand_form();
std::unique_ptr<Form> audit_form();
std::unique_ptr<Form> validate_form();
std::unique_ptr<Form> calibrate_site_form();
std::unique_ptr<Form> calibrate_training_form();
std::unique_ptr<Form> calibrate_kernels_form();
std::unique_ptr<Form> calibrate_serving_form();
std::unique_ptr<Form> calibrate_collectives_form();
std::unique_ptr<Form> catalog_form();
std::unique_ptr<Form> emit_form();
std::unique_ptr<Form> read_form();
std::unique_ptr<Form> observe_form();
std::unique_ptr<Form> fleet_form();

}  // namespace loadfactor::facade

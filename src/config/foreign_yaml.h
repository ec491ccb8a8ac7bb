// YAML that others wrote: manifests, compose files, configurations.
//
// As `parse_yaml`, and anchors, aliases and merge keys (`&name`, `*name`, `<<`) are followed. What
// they repeat stands in the tree as often as it is repeated, with the place where it was written,
// and counts against the limits each time.
#pragma once

#include <string>

#include "config/document.h"

namespace loadfactor::config {

Result<Document> parse_foreign_yaml(std::string file, std::string text,
                                    const Limits& limits = kYamlLimits);

}  // namespace loadfactor::config

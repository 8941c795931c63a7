// SPDX-License-Identifier: Apache-2.0
// The whole of src/config. A model needs only "config/describe.hpp".
//
//   Document d = load("run.json", {{"/options/seed", "7"}});  // files composed, overrides applied
//   RunConfig c = read<RunConfig>(d, kinds);                  // strict; throws ConfigError with all faults
//   resolved(c)                                               // as JSON, defaults filled in
//   json_schema<RunConfig>(kinds, "a run")                    // for editors
//   ideals(c)                                                 // fields that name an ideal value
//   provenance(d)                                             // "$sources" of every parameter
#pragma once

#include "config/describe.hpp"
#include "config/document.hpp"
#include "config/fields/reader.hpp"
#include "config/fields/schema.hpp"
#include "config/fields/sources.hpp"
#include "config/fields/writer.hpp"
#include "config/message.hpp"
#include "config/places/override.hpp"

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
#include "config/message.hpp"
#include "config/override.hpp"
#include "config/reader.hpp"
#include "config/schema.hpp"
#include "config/sources.hpp"
#include "config/writer.hpp"

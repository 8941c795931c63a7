// SPDX-License-Identifier: Apache-2.0
/// SystemC's library refers to it; these programs have Catch's main.
extern "C" int sc_main(int, char**) { return 1; }

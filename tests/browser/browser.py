# SPDX-License-Identifier: Apache-2.0
"""The browser that tests are of, which TSUNAGI_TEST_BROWSER names: chromium or firefox."""
import os

NAME = os.environ.get("TSUNAGI_TEST_BROWSER", "chromium")
if NAME == "firefox":
    from firefox import Page, program  # noqa: F401
    NEEDS = "Debian's packages firefox-esr and python3-websocket"
elif NAME == "chromium":
    from chromium import Page, program  # noqa: F401
    NEEDS = "Debian's package chromium"
else:
    raise SystemExit(f"TSUNAGI_TEST_BROWSER={NAME}: chromium and firefox are known")

# SPDX-License-Identifier: Apache-2.0
"""A browser as a process."""
import os
import shutil
import signal


def first_of(programs):
    """The first of them that is installed, or None."""
    return next((path for path in map(shutil.which, programs) if path), None)


def end(process):
    """It and all that it has started, which is a session of its own."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()

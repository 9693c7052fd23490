# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""brought.py - what tests take from package registries once for a build and keep in its
directory: programs that are not ours and read what we write.  Nothing is
installed, and no service is started.  Both functions give (directory, None), or
(None, why it is not to be had)."""
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import capabilities

TIMEOUT = 300 * float(os.environ.get("DTRACE_SLOW", "1"))


def run(*args, cwd=None):
    """None, or why it has failed."""
    try:
        r = subprocess.run(args, cwd=cwd, stdout=subprocess.DEVNULL,
                           stderr=subprocess.PIPE, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return f"{args[0]} does not end"
    return r.stderr.strip()[-200:] or "failed" if r.returncode != 0 else None


def once(where, make):
    """make(directory) fills `where` if it is not there, at once or not at all."""
    if where.exists():
        return where, None
    where.parent.mkdir(parents=True, exist_ok=True)
    tmp = Path(tempfile.mkdtemp(dir=where.parent))
    tmp.chmod(0o755)
    why = make(tmp)
    if why is None:
        try:
            tmp.rename(where)
        except OSError:  # another test was as quick
            pass
    shutil.rmtree(tmp, ignore_errors=True)
    return (where, None) if why is None else (None, why)


def npm(build, spec):
    """node_modules of a package and what it depends on, "name@version"."""
    why = capabilities.missing("npm")
    if why is not None:
        return None, why
    name = spec.replace("/", "_")
    where, why = once(Path(build) / "brought" / name, lambda d: run(
        "npm", "install", "--ignore-scripts", "--silent", "--prefix", str(d),
        spec))
    return where and where / "node_modules", why


def deb(build, package):
    """The files of a Debian package, unpacked."""
    why = capabilities.missing("apt-get", "dpkg-deb")
    if why is not None:
        return None, why

    def unpack(d):
        d.chmod(0o777)  # apt downloads as a user of its own
        why = run("apt-get", "-q", "download", package, cwd=d)
        files = list(d.glob("*.deb"))
        for f in files:
            why = why or run("dpkg-deb", "-x", str(f), str(d))
            f.unlink()
        d.chmod(0o755)
        return why if why or files else f"apt-get has no {package}"
    return once(Path(build) / "brought" / package, unpack)

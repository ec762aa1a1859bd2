"""Runs the Atlas over engines, each version in an environment of its own.

    python -m conformance.atlas --broadaxe target/release/broadaxe --environments DIR [--engine NAME]... [--level core]

An environment is a folder of DIR with the name and the version of the first requirement, `numpy-2.4.6`. Without it the version is left out, and
`--install` makes it. Programs of `--programs DIR` are the engines in Rust. Results are written to `atlas/results/LEVEL`, a file for each version.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = ROOT / "atlas" / "adapters"
RESULTS = ROOT / "atlas" / "results"


def engines():
    """Return the engines of `atlas/adapters/engines.toml`."""
    return tomllib.loads((ADAPTERS / "engines.toml").read_text())["engine"]


def versions(engine, environments):
    """Yield the version and the folder of each environment of an engine."""
    for requirements in engine["requirements"]:
        name, version = requirements[0].split("==")
        yield version, environments / f"{name.split('[')[0]}-{version}", [*requirements, *engine.get("also", [])]


def install(folder, requirements):
    """Make an environment."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", *requirements], check=True)


def vulkan(environments):
    """Return the variables that name a Vulkan driver on the CPU, where the environments have one."""
    script = environments / "vulkan" / "env.sh"
    if not script.exists():
        return {}
    shown = subprocess.run(["sh", "-c", f". {script}; env"], capture_output=True, text=True, check=True).stdout
    wanted = ("VK_", "LD_LIBRARY_PATH")
    return dict(line.split("=", 1) for line in shown.splitlines() if line.startswith(wanted) and "=" in line)


def run(command, name, given, environment=None):
    """Ask one program, and write its results."""
    started = time.monotonic()
    arguments = [given.broadaxe, "atlas", "run", "--json", "--level", given.level, "--ask", " ".join(map(str, command))]
    for option in ("rule", "family"):
        arguments += [f"--{option}", ",".join(getattr(given, option))] if getattr(given, option) else []
    done = subprocess.run(arguments, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode not in (0, 1):
        print(f"{name}: {done.stderr.strip()[-300:]} {done.stdout.strip()[-300:]}", flush=True)
        return
    found = json.loads(done.stdout)
    folder = RESULTS / given.level
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / (re.sub(r"[^a-z0-9]+", "-", f"{found['engine'] or name} {found['device']}".lower()).strip("-") + f"-{found['version']}.json")
    file.write_text(json.dumps(found, indent=1) + "\n")
    counts = f"{found['right']} right, {found['wrong']} wrong, {found['skipped']} skipped"
    print(f"{found['engine']} {found['version']}: {counts}, {time.monotonic() - started:.0f} s", flush=True)


def main():
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--broadaxe", type=Path, default=ROOT / "target" / "release" / "broadaxe")
    parser.add_argument("--environments", type=Path, required=True)
    parser.add_argument("--programs", type=Path, help="the folder of the engines in Rust")
    parser.add_argument("--engine", action="append", help="only this engine")
    parser.add_argument("--level", default="core", choices=["core", "full", "deep"])
    parser.add_argument("--rule", action="append", default=[])
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--newest", action="store_true", help="only the newest version of each engine")
    parser.add_argument("--install", action="store_true")
    given = parser.parse_args()
    for engine in engines():
        if given.engine and engine["name"] not in given.engine:
            continue
        all_versions = list(versions(engine, given.environments))
        for version, folder, requirements in all_versions[:1] if given.newest else all_versions:
            if not folder.exists():
                if not given.install:
                    print(f"{engine['name']} {version}: no environment")
                    continue
                install(folder, requirements)
            environment = dict(engine.get("environment", {}), OMP_NUM_THREADS="1")
            environment |= vulkan(given.environments) if engine.get("vulkan") else {}
            command = [folder / "bin" / "python", ADAPTERS / engine["adapter"], *engine.get("arguments", [])]
            run(command, f"{engine['name']} {version}", given, environment)
    for program in sorted(given.programs.iterdir()) if given.programs else []:
        if program.is_file() and os.access(program, os.X_OK) and (not given.engine or program.name in given.engine):
            run([program], program.name, given)


if __name__ == "__main__":
    main()

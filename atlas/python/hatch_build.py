"""Puts the cases into the package: from the folder above in a checkout, from the package itself in an sdist."""

import pathlib

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CasesHook(BuildHookInterface):
    """Adds core.jsonl to the sdist and to the wheel."""

    def initialize(self, version, build_data):
        """Name the file to include, unless the package already has it or the installation is editable."""
        root = pathlib.Path(self.root)
        if version == "editable" or (root / "src/broadaxe_atlas/core.jsonl").exists():
            return
        cases = root.parent / "core.jsonl"
        if not cases.exists():
            raise FileNotFoundError(f"{cases} does not exist; build from a checkout or from the sdist")
        folder = "src/broadaxe_atlas" if self.target_name == "sdist" else "broadaxe_atlas"
        build_data["force_include"][str(cases)] = f"{folder}/core.jsonl"

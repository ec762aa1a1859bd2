"""Prints the Homebrew formula of a release, from the checksums in its folder.

    python packaging/homebrew.py --dist target/dist --version 0.1.0 > broadaxe.rb
"""

import argparse
import pathlib
import sys

import sums

FORMULA = """\
class Broadaxe < Formula
  desc "Find and fix broadcasts of models that mean something else on another runtime"
  homepage "https://github.com/broadaxe/broadaxe"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{systems}

  def install
    bin.install "broadaxe"
    man1.install Dir["**/*.1"]
    generate_completions_from_executable(bin/"broadaxe", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_equal "broadaxe #{{version}}", shell_output("#{{bin}}/broadaxe --version").strip
    assert_match "(2, 3, 4)", shell_output("#{{bin}}/broadaxe shape 2,3,4 3,1")
  end
end
"""

SYSTEMS = [
    ("macos", [("arm", "aarch64-apple-darwin"), ("intel", "x86_64-apple-darwin")]),
    ("linux", [("arm", "aarch64-unknown-linux-musl"), ("intel", "x86_64-unknown-linux-musl")]),
]


def formula(listed, version):
    """Returns the formula; `listed` has the checksum of each archive."""
    systems = []
    for system, cpus in SYSTEMS:
        lines = [f"  on_{system} do"]
        for cpu, target in cpus:
            name = sums.archive(version, target)
            lines += [
                f"    on_{cpu} do",
                f'      url "{sums.PACKAGES}/v{version}/{name}"',
                f'      sha256 "{sums.find(listed, name)}"',
                "    end",
            ]
        systems.append("\n".join([*lines, "  end"]))
    return FORMULA.format(version=version, systems="\n\n".join(systems))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    chosen = parser.parse_args()
    sys.stdout.write(formula(sums.read(chosen.dist), chosen.version))


if __name__ == "__main__":
    main()

"""Prints the conda recipe of a release (recipe.yaml, for rattler-build and conda-forge), from the checksums in its folder.

    python packaging/conda.py --dist target/dist --version 0.1.0 > recipe.yaml

The recipe builds the Python package, which has the command, from the source distribution.
"""

import argparse
import pathlib
import sys

import sums

RECIPE = """\
schema_version: 1

context:
  version: "{version}"

package:
  name: broadaxe
  version: ${{{{ version }}}}

source:
  url: {packages}/v${{{{ version }}}}/broadaxe-${{{{ version }}}}.tar.gz
  sha256: {sha256}

build:
  number: 0
  script:
    - cargo-bundle-licenses --format yaml --output THIRDPARTY.yml
    - ${{{{ PYTHON }}}} -m pip install . -vv --no-deps --no-build-isolation

requirements:
  build:
    - ${{{{ compiler("c") }}}}
    - ${{{{ stdlib("c") }}}}
    - ${{{{ compiler("rust") }}}}
    - cargo-bundle-licenses
  host:
    - python
    - pip
    - maturin >=1.9,<2
  run:
    - python
    - numpy >=2

tests:
  - python:
      imports:
        - broadaxe
      pip_check: true
  - script:
      - broadaxe --version
      - broadaxe shape 2,3,4 3,1

about:
  homepage: https://github.com/broadaxe/broadaxe
  repository: https://github.com/broadaxe/broadaxe
  documentation: https://github.com/broadaxe/broadaxe/tree/main/docs
  license: MIT OR Apache-2.0
  license_file:
    - LICENSE-MIT
    - LICENSE-APACHE
    - THIRDPARTY.yml
  summary: Find and fix broadcasts that silently change meaning between runtimes
  description: |
    Finds the broadcasting nodes of a model whose results differ on another runtime, and fixes the model with the fewest changes.
    Evaluates operators and expressions under the broadcasting rules of NumPy, ONNX, OpenVINO, Paddle and ncnn.
"""


def recipe(listed, version):
    """Returns the recipe; `listed` has the checksum of the source distribution."""
    sha256 = sums.find(listed, f"broadaxe-{version}.tar.gz")
    return RECIPE.format(version=version, packages=sums.PACKAGES, sha256=sha256)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dist", type=pathlib.Path, required=True)
    parser.add_argument("--version", required=True)
    chosen = parser.parse_args()
    sys.stdout.write(recipe(sums.read(chosen.dist), chosen.version))


if __name__ == "__main__":
    main()

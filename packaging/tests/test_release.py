"""Tests the programs that the release workflow runs, on small made-up releases."""

import base64
import hashlib
import io
import json
import pathlib
import re
import shutil
import tarfile
import zipfile

import pytest
import yaml
from conftest import ROOT, VERSION, run

import collect
import conda
import homebrew
import image
import pack
import sums
import version

WHEELS = [
    "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "musllinux_1_2_x86_64",
    "musllinux_1_2_aarch64",
    "macosx_10_12_x86_64.macosx_11_0_arm64.macosx_10_12_universal2",
    "win_amd64",
]


def names():
    """Lists the files of a complete release."""
    wheels = [f"broadaxe-1.2.3-{python}-{platform}.whl" for python in ("cp310-abi3", "cp314-cp314t") for platform in WHEELS]
    return [*wheels, "broadaxe-1.2.3.tar.gz", "broadaxe.cdx.json", *(sums.archive("1.2.3", target) for target in sums.TARGETS)]


def write(folder, files):
    """Writes files, given with their contents, and SHA256SUMS."""
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    (folder / "SHA256SUMS").write_text("".join(f"{sums.digest(folder / name)}  {name}\n" for name in files))
    return folder


def parts(folder):
    """Writes a complete release in two parts, which share one file."""
    half = len(names()) // 2
    for part, own in (("linux", names()[:half]), ("macos", names()[half - 1 :])):
        write(folder / part, {name: name.encode() for name in own})
    return folder


def test_a_complete_release_is_collected(tmp_path):
    dist = tmp_path / "dist"
    collect.collect(parts(tmp_path / "parts"), dist, "1.2.3")
    assert sorted(sums.read(dist)) == sorted(names())
    assert sorted(file.name for file in dist.iterdir()) == sorted([*names(), "SHA256SUMS"])


def test_every_missing_file_is_found(tmp_path):
    for name in names():
        assert len(sums.missing(set(names()) - {name}, "1.2.3")) == 1, name
    assert sums.missing(set(names()), "1.2.3") == []
    assert len(sums.missing(set(names()), "1.2.4")) == len(names()) - 1


def test_parts_that_do_not_fit_are_errors(tmp_path):
    def damage(change, wanted):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        change(parts(folder / "parts"))
        with pytest.raises(SystemExit, match=re.escape(wanted)):
            collect.collect(folder / "parts", folder / "dist", "1.2.3")

    def differ(folder):
        shared = names()[len(names()) // 2 - 1]
        shutil.rmtree(folder / "macos")
        write(folder / "macos", {name: b"other" if name == shared else name.encode() for name in names()[len(names()) // 2 - 1 :]})

    damage(lambda folder: (folder / "macos" / names()[-1]).write_text("changed"), "its checksum is not the one")
    damage(lambda folder: (folder / "macos" / "extra.txt").write_text("a"), "SHA256SUMS does not have extra.txt")
    damage(lambda folder: (folder / "macos" / "folder").mkdir(), "a release has files only")
    damage(differ, "two parts have different files of this name")
    damage(lambda folder: shutil.rmtree(folder / "macos"), "the release is not complete")


def test_the_formula_names_the_archives_and_their_checksums(tmp_path):
    dist = write(tmp_path / "dist", {name: name.encode() for name in names()})
    text = homebrew.formula(sums.read(dist), "1.2.3")
    found = re.findall(r'url "https://github\.com/broadaxe/broadaxe/releases/download/v1\.2\.3/(.*)"\n +sha256 "(.*)"', text)
    assert len(found) == 4
    assert all(sums.digest(dist / name) == digest for name, digest in found)
    # Blocks are closed.
    assert len(re.findall(r"\b(?:do|class|def)\b.*$", text, re.MULTILINE)) == len(re.findall(r"^ *end$", text, re.MULTILINE))
    with pytest.raises(SystemExit, match="does not have broadaxe-1.2.4"):
        homebrew.formula(sums.read(dist), "1.2.4")


def test_the_recipe_names_the_source_and_its_checksum(tmp_path):
    dist = write(tmp_path / "dist", {name: name.encode() for name in names()})
    recipe = yaml.safe_load(conda.recipe(sums.read(dist), "1.2.3"))
    assert recipe["context"]["version"] == "1.2.3"
    assert recipe["source"]["sha256"] == sums.digest(dist / "broadaxe-1.2.3.tar.gz")
    assert recipe["package"] == {"name": "broadaxe", "version": "${{ version }}"}


def test_the_folder_of_the_image_has_the_command_and_the_licences(tmp_path):
    archive = tmp_path / "a.tar.gz"
    with tarfile.open(archive, "w:gz") as files:
        for name in ("a/broadaxe", "a/LICENSE-MIT", "a/man/broadaxe.1", "a/../../LICENSE-EVIL", "a/completions/broadaxe"):
            info = tarfile.TarInfo(name)
            info.size = len(name)
            files.addfile(info, io.BytesIO(name.encode()))
    image.unpack(archive, tmp_path / "context" / "amd64")
    found = {str(file.relative_to(tmp_path)): file.read_text() for file in (tmp_path / "context").rglob("*") if file.is_file()}
    wanted = {"broadaxe": "a/broadaxe", "LICENSE-MIT": "a/LICENSE-MIT", "LICENSE-EVIL": "a/../../LICENSE-EVIL"}
    assert found == {f"context/amd64/{name}": text for name, text in wanted.items()}
    assert (tmp_path / "context/amd64/broadaxe").stat().st_mode & 0o777 == 0o755
    with pytest.raises(SystemExit, match="does not have the command"):
        (tmp_path / "b.tar.gz").write_bytes(b"")
        with tarfile.open(tmp_path / "b.tar.gz", "w:gz"):
            pass
        image.unpack(tmp_path / "b.tar.gz", tmp_path / "empty")


def copy(folder):
    """Copies every file that names the version."""
    for path, _ in version.PLACES:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, folder / path)
    return folder


def test_the_version_is_the_same_everywhere_and_can_be_changed(tmp_path):
    copy(tmp_path)
    version.change(tmp_path, "12.34.56")
    assert version.check(tmp_path) == "12.34.56"
    # Nothing else in these files names the old version of this project.
    left = [path for path, _ in version.PLACES if "Cargo" not in path and VERSION in (tmp_path / path).read_text()]
    assert not left, left
    # The lock file is the one that cargo writes: every member has the new version.
    for lock in ("Cargo.lock", "fuzz/Cargo.lock"):
        assert not re.search(rf'name = "(broadaxe[a-z-]*|xtask)"\nversion = "{re.escape(VERSION)}"', (tmp_path / lock).read_text())
    for path in ("action.yml", "pyproject.toml", "docs/guides/install.md"):
        text = (tmp_path / path).read_text()
        (tmp_path / path).write_text(text.replace("12.34.56", "12.34.57", 1))
        with pytest.raises(SystemExit, match=rf"{re.escape(path)}:[0-9]+: 12\.34\.57 instead of 12\.34\.56"):
            version.check(tmp_path)
        (tmp_path / path).write_text(text)
    with pytest.raises(SystemExit, match="not a version"):
        version.change(tmp_path, "1.2")


def test_notes_are_a_section_of_the_changelog(tmp_path):
    (tmp_path / "CHANGELOG.md").write_text("# C\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-02\n\n### A\n\n- b\n\n## [1.2.2]\n\n- c\n")
    assert version.notes(tmp_path, "1.2.3") == "### A\n\n- b"
    assert version.notes(tmp_path, "1.2.2") == "- c"
    for absent in ("1.2.4", "Unreleased", "112.3"):
        with pytest.raises(SystemExit, match="has no section"):
            version.notes(tmp_path, absent)


def test_the_fuzz_workflow_runs_every_target():
    workflow = yaml.safe_load((ROOT / ".github/workflows/fuzz.yml").read_text())
    targets = {file.stem for file in (ROOT / "fuzz/fuzz_targets").glob("*.rs")}
    assert set(workflow["jobs"]["fuzz"]["strategy"]["matrix"]["target"]) == targets


def test_actions_are_pinned_by_commit_with_one_version_each():
    pins = {}
    for file in [*(ROOT / ".github/workflows").glob("*.yml"), ROOT / "action.yml"]:
        for used in re.findall(r"(?m)^ *(?:- )?uses: (.*)$", file.read_text()):
            match = re.fullmatch(r"([\w./-]+)@([0-9a-f]{40}) # (v[0-9]+\.[0-9]+\.[0-9]+)", used)
            assert match, f"{file.name}: {used}"
            assert pins.setdefault(match[1], match[2]) == match[2], f"{file.name}: {used}"
    assert pins


def test_workflows_have_least_permissions_and_no_expressions_in_scripts():
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        workflow = yaml.safe_load(file.read_text())
        assert workflow["permissions"] == {}, file.name
        for name, job in workflow["jobs"].items():
            assert "timeout-minutes" in job and "permissions" in job, (file.name, name)
            for step in job["steps"]:
                assert "${{" not in step.get("run", ""), (file.name, name)
                if step.get("uses", "").startswith("actions/checkout@"):
                    assert step["with"]["persist-credentials"] is False, (file.name, name)


def test_links_of_the_pages_exist():
    for page in ("SECURITY.md", "docs/guides/install.md", "docs/guides/release.md"):
        folder = (ROOT / page).parent
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (ROOT / page).read_text()):
            assert (folder / link).exists(), f"{page}: {link}"


def test_the_scripts_run_as_programs(tmp_path):
    dist = write(tmp_path / "dist", {name: name.encode() for name in names()})
    for script in ("homebrew.py", "conda.py"):
        code, text = run(["python3", ROOT / "packaging" / script, "--dist", dist, "--version", "1.2.3"], pathlib.Path(tmp_path))
        assert code == 0 and sums.PACKAGES in text, text


def test_a_wheel_names_no_folder_of_the_machine(tmp_path):
    root, wheel = tmp_path / "sources", tmp_path / "x-1-py3-none-any.whl"
    materials = "x-1.dist-info/sboms/x.cyclonedx.json"
    with zipfile.ZipFile(wheel, "w") as written:
        written.writestr("x.py", "pass\n")
        written.writestr(materials, json.dumps({"bom-ref": f"path+file://{root.resolve()}/crates/x#1"}))
        written.writestr("x-1.dist-info/RECORD", f"x.py,sha256=a,5\n{materials},sha256=b,9\nx-1.dist-info/RECORD,,\n")
    pack.without_paths(wheel, root)
    with zipfile.ZipFile(wheel) as read:
        data, record = read.read(materials), read.read("x-1.dist-info/RECORD").decode()
    assert json.loads(data) == {"bom-ref": "path+file:///broadaxe/crates/x#1"}
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    assert record.splitlines() == ["x.py,sha256=a,5", f"{materials},sha256={digest},{len(data)}", "x-1.dist-info/RECORD,,"]


def test_wheels_have_the_licence_texts(dist):
    for wheel in dist.glob(f"broadaxe-{VERSION}-*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            texts = {name.rsplit("/", 1)[-1]: archive.read(name) for name in archive.namelist() if "/licenses/" in name}
        for name in ("LICENSE-MIT", "LICENSE-APACHE"):
            assert texts.get(name) == (ROOT / name).read_bytes(), f"{wheel.name} has {sorted(texts)}"

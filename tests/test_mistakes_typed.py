"""Mistakes that a user types, each with the one sentence that leads on; and the names that the shell completes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from stend import store
from stend.cli import main
from stend.words import LANGUAGES
from tests.still import StillEngine
from tests.test_run import drawn, play
from tests.test_store import kept

TOP = Path(__file__).parent.parent
SMALL = ["--target", "sim:small"]
NAMES = ("20261120-first-iops", "20261121-second-iops", "20261122-third-latency")

SENTENCES = [
    (["run", "iosp", *SMALL], "there is no test or suite 'iosp'; did you mean 'iops'?"),
    (["run", "review-nmve", *SMALL], "there is no test or suite 'review-nmve'; did you mean 'review-nvme'?"),
    (["run", "IOPS", *SMALL], "there is no test or suite 'IOPS'; did you mean 'iops'?"),
    (["run", "xyzzy", *SMALL], "there is no test or suite 'xyzzy'; `stend tests` lists them"),
    (["plan", "iops,latency", *SMALL],
     "there is no test or suite 'iops,latency'; write separate words: iops latency"),
    (["run", "iops", "--target", "sim:smal"], "there is no virtual drive 'smal'; did you mean 'small'?"),
    (["run", "iops", "--target", "small"], "there is no file small; did you mean sim:small?"),
    (["run", "iops", "--target", "sim:small?scal=2"], "sim:small has no option 'scal'; did you mean 'scale'?"),
    (["run", "iops", "--target", ""],
     "the target is empty; name a drive that `stend devices` lists, or a virtual one such as sim:small"),
    (["run", "iops", "--target", "C:\\x.bin", "--create", "1GiB"],
     "C:\\x.bin is a Windows path; on Linux a drive is named like /dev/nvme0n1; `stend devices` lists the drives"),
    (["run", "iops", *SMALL, "--create", "1GiB", "--quick"],
     "--create makes a file, and sim:small is not one; leave --create out, or name a file by --target"),
    (["run", "iops", "--target", "null:1GiB", "--create", "1GiB", "--quick"],
     "--create makes a file, and null:1GiB is not one; leave --create out, or name a file by --target"),
    (["run", "iops", "--target", "/dev/null", "--create", "1GiB"],
     "/dev/null is there already; name another, or drop --create and name it by --destroy-data"),
    (["run", "iops", "--target", "https://a/b"],
     "https://a/b is an address, not a drive; `stend devices` lists the drives"),
    (["run", "iops"],
     "--target is missing: name a drive that `stend devices` lists, or a virtual one such as sim:small; "
     "example: `stend run iops write-saturation --target sim:small --quick`"),
    (["plan"],
     "name at least one test or suite; `stend tests` lists them; "
     "example: `stend plan iops --target sim:small --profile enterprise-2.0.2`"),
    (["plan", "iops", *SMALL, "--profile", "enterprize-1.1"],
     "there is no profile 'enterprize-1.1'; did you mean 'enterprise-1.1'?"),
    (["plan", "iops", *SMALL, "--depth", "70000"],
     "--depth must be a whole number from 1 to 65536; see `stend plan --help`"),
    (["plan", "iops", *SMALL, "--threads", "four"],
     "--threads must be a whole number from 1 to 1024; see `stend plan --help`"),
    (["plan", "iops", *SMALL, "--active-range", "0"],
     "--active-range must be a number from 0.01 to 100; see `stend plan --help`"),
    (["plan", "iops", *SMALL, "--seed", "-1"],
     "--seed must be a whole number of at least 0; see `stend plan --help`"),
    (["plan", "iops", *SMALL, "--profile", "night-of-tests.toml"],
     "night-of-tests.toml is a study, not a profile; name it in place of a test: stend plan night-of-tests.toml"),
    (["plan", "our-enterprise-rules.toml", *SMALL],
     "our-enterprise-rules.toml is a profile, not a study; name it with --profile our-enterprise-rules.toml"),
    (["repeat", "iops", "5", *SMALL], "COUNT must be a whole number from 2 to 1000; see `stend repeat --help`"),
    (["plan", "iops", *SMALL, "--depth"], "--depth needs a value; see `stend plan --help`"),
    (["plan", "iops", *SMALL, "--quick=1"], "--quick takes no value; see `stend plan --help`"),
    (["show", "a", "b"], "`stend show` does not take the words b; see `stend show --help`"),
    (["run", "iops", "--device", "x"], "`stend run` has no option --device; did you mean --target?"),
    (["run", "iops", "--outdir", "x"], "`stend run` has no option --outdir; did you mean --into?"),
    (["run", "iops", "--yes"], "`stend run` has no option --yes; did you mean --destroy-data?"),
    (["plan", "iops", *SMALL, "--json", "--sooner"], "--json and --sooner contradict each other; leave one out"),
    (["import", "a.json", "--format", "fio"], "`stend import` has no option --format; --from names the format of the "
     "files"),
    (["watch", "runs", "--json"], "`stend watch` has no option --json; `stend show RUN --json` prints the results, and "
     "events.jsonl in RUN has an event per line"),
    (["run", "iops", *SMALL, "--lable", "x"], "`stend run` has no option --lable; did you mean --label?"),
    (["list", "--jsn"], "`stend list` has no option --jsn; did you mean --json?"),
    (["host", "--quik"], "`stend host` has no option --quik; did you mean --quick?"),
    (["--json", "list"], "`stend` has no option --json; options follow the verb, as in `stend list --json`"),
    (["rnu"], "there is no verb 'rnu'; did you mean `stend run`?"),
    (["start"], "there is no verb 'start'; did you mean `stend run`?"),
    (["bench"], "there is no verb 'bench'; did you mean `stend run`?"),
    (["delete"], "there is no verb 'delete'; a run is a folder: delete it with `rm -r RUN`"),
    (["plan", "iops", "--target", "/etc/nosuch.bin"],
     "/etc/nosuch.bin is not there (No such file or directory); `stend run --create 1GiB` makes it, "
     "and `stend devices` lists the drives"),
    (["iops"], "there is no verb 'iops'; it is a test: `stend run iops --target DRIVE`"),
    (["replay"], "there is no verb 'replay'; it is a test: `stend run replay --target DRIVE`"),
    (["review-nvme"], "there is no verb 'review-nvme'; it is a suite: `stend run review-nvme --target DRIVE`"),
    (["xyzzy"], "there is no verb 'xyzzy'; `stend --help` lists all"),
    (["trace"], "`stend trace` needs an action: show, convert; see `stend trace --help`"),
    (["trace", "shwo"], "`stend trace` has no action 'shwo'; did you mean `stend trace show`?"),
    (["fleet", "rnu", "x"], "`stend fleet` has no action 'rnu'; did you mean `stend fleet run`?"),
    (["report", "--format", "pfd"], "there is no format 'pfd'; did you mean 'pdf'?"),
    (["compare", "a", "b", "--format", "docx"],
     "there is no format 'docx'; the formats are html, pdf, markdown, json"),
    (["report", "--lang", "fr"], f"there is no language 'fr'; there are {', '.join(LANGUAGES)}"),
    (["list", "--sort", "capcity_bytes"], "runs have no column 'capcity_bytes'; did you mean 'capacity_bytes'?"),
    (["schema", "reports"], "there is no schema 'reports'; did you mean 'report'?"),
    (["sweep", "desing.toml"],
     "the design desing.toml cannot be read: No such file or directory; did you mean 'design.toml'?"),
    (["import", "nosuch.json"], "nosuch.json cannot be read: No such file or directory; check its path"),
    (["trace", "show", "nosuch.log"], "nosuch.log cannot be read: No such file or directory; check its path"),
    (["run", "latency", *SMALL, "--quick", "--into", "/proc/x"],
     "/proc/x cannot be written: No such file or directory; name another with --into"),
    (["show", "thrid-latency"],
     "thrid-latency is not a run folder, and no run in runs/ has it in its name; "
     "did you mean '20261122-third-latency'?"),
    (["show", "iops"],
     "'iops' matches 2 runs below runs: 20261120-first-iops, 20261121-second-iops; name one of them in full"),
    (["show", "runs"], "runs is not a run folder but holds runs; name one, such as runs/20261120-first-iops"),
    (["compare", "first"], "put -- between the two sides: stend compare A1 A2 -- B1 B2"),
    (["serve", "--port", "99999"], "--port must be a whole number from 0 to 65535; see `stend serve --help`"),
    (["inspect"],
     "name a drive that `stend devices` lists, or a virtual one such as sim:small; "
     "example: `stend inspect sim:small --minutes 1`"),
    (["inspect", "--target", "sim:smal"], "there is no virtual drive 'smal'; did you mean 'small'?"),
    (["inspect", "sim:small", "--format", "pdf"],
     "`stend inspect` has no option --format; `stend report RUN --format F` writes other formats"),
    (["inspect", "/etc"],
     "/etc is a folder; name a drive, or a file such as /etc/stend.bin; `stend run --create 1GiB` makes a new one"),
    (["publish", "--lang", "ru"], "`stend publish` has no option --lang; a site has pages in all languages"),
    (["run", "power", *SMALL, "--meter", "command"], "there is no meter 'command'; did you mean 'cmd'?"),
    (["run", "power", *SMALL, "--meter", "watts"],
     "there is no meter 'watts'; choose from cmd, file, hwmon, ipmi, own, quarch, redfish"),
    (["plan", "iops", *SMALL, "--power-saving", "on"], "--power-saving is as-found or off, not 'on'"),
    (["lot", "--acceptance", "nosuch.toml"],
     "the plan of acceptance nosuch.toml cannot be read: No such file or directory; check its path"),
    (["serve", "--where", "model"],
     "'model' is not a condition; write it like model=KC*, outcome!=complete or seconds>3600"),
    (["query", "FROM runs", "--where", "seconds=abc"], "'seconds=abc': seconds is a number, and 'abc' is not"),
    (["schema", "lots"], "there is no schema 'lots'; did you mean 'lot'?"),
    (["query", "FROM runs", "--json", "--csv"], "--json and --csv contradict each other; leave one out"),
]  # fmt: skip


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three runs, the last one the youngest, a design of a sweep, a study and a profile."""
    top = tmp_path_factory.mktemp("home")
    for number, name in enumerate(NAMES):
        store.create(top / "runs" / name, {}, {})
        first, *more = play(drawn("latency", minute_s=1, rounds=number + 1), StillEngine())
        started = msgspec.structs.replace(first, at=1000.0 * number)
        list(store.append(top / "runs" / name, kept([started, *more])))
    (top / "design.toml").write_text("")
    (top / "night-of-tests.toml").write_text('title = "Mine"\nprofile = "review"\ntests = ["iops"]\n')
    (top / "our-enterprise-rules.toml").write_text('title = "Mine"\nspecification = "2.0.2"\ndevice_class = "client"\n')
    return top


@pytest.mark.parametrize(("words", "sentence"), SENTENCES, ids=lambda value: " ".join(value)[:40])
def test_a_mistake_is_answered_by_its_cause_and_a_way_out(
    words: list[str], sentence: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    assert main(words) == 2
    assert capsys.readouterr().err == f"stend: {sentence}\n"


def test_without_any_run_the_verb_that_makes_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for verb in ("show", "report", "verify", "watch", "resume"):
        assert main([verb]) == 2
        assert capsys.readouterr().err == "stend: there is no last run, and runs/ has no runs; `stend run` makes one\n"


@pytest.mark.parametrize("verb", ["show", "verify", "watch"])
def test_a_run_is_named_alike_in_every_verb(
    verb: str, home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    said = []
    for word in ([], ["last"], ["third"], [NAMES[2]], [f"runs/{NAMES[2]}"], [f"runs/{NAMES[2][:12]}"]):
        main([verb, *word])
        said.append(capsys.readouterr().out)
    assert said[0]
    assert set(said) == {said[0]}
    main([verb, "first"])
    assert capsys.readouterr().out != said[0]


def test_many_runs_are_named_by_their_folder_or_one_by_one(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(home)
    assert main(["verify", "runs"]) == 0
    whole = capsys.readouterr().out
    assert main(["verify", *(name[9:] for name in NAMES), "last"]) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == sorted(whole.splitlines())
    listed = []
    for word in ([], ["runs"], ["last"], [f"runs/{NAMES[0]}"]):
        assert main(["list", *word]) == 0
        listed.append(capsys.readouterr().out)
    assert len(listed[0].splitlines()) == 4
    assert set(listed) == {listed[0]}
    assert main(["compare", "first", "--", "second", "third"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "A (1) | B (2)"
    assert main(["compare", "first", "third", "--", "second", "--where", "run!=20261122*"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "A (1) | B (1)"


def completed(home: Path, line: str) -> list[str]:
    """What the shell offers for the last word of a line, by the script that is installed."""
    script = TOP / "share/bash-completion/completions/stend"
    words = line.split(" ")
    stend = home / "stend"
    stend.write_text(f'#!/bin/sh\nexec {sys.executable} -m stend "$@"\n')
    stend.chmod(0o755)
    array = " ".join(f"'{word}'" for word in words)
    asked = f"source {script}; COMP_WORDS=({array}); COMP_CWORD={len(words) - 1}; _stend_completion stend"
    own = {"PATH": f"{home}:{os.environ['PATH']}", "PYTHONPATH": str(TOP / "src")}
    done = subprocess.run(
        ["bash", "-c", asked + '; printf "%s\\n" "${COMPREPLY[@]}"; [[ $COMP_WORDBREAKS != *:* ]]'],
        cwd=home, env=os.environ | own, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("stend run io", {"iops"}),
        ("stend run review-n", {"review-nvme"}),
        ("stend plan iops --target sim:sm", {"sim:small"}),
        ("stend run iops --profile enterprise-2", {"enterprise-2.0.2"}),
        ("stend show la", {"last"}),
        ("stend report 202611", set(NAMES)),
        ("stend verify runs/20261120", {f"runs/{NAMES[0]}"}),
        ("stend trace s", {"show"}),
        ("stend schema ev", {"events"}),
        ("stend pro", {"provision"}),
        ("stend bat", set()),
    ],
)
def test_the_shell_completes_names(line: str, offered: set[str], home: Path) -> None:
    assert set(completed(home, line)) == offered

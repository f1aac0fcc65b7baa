"""Parts of a fleet without a host: certificates, pickles, files of runs, presence, and the token of a server."""

import os
import pickle
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

pytest.importorskip("distributed")
pytest.importorskip("cryptography")
pytest.importorskip("uvicorn")

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID

from stend.base.errors import BadInput, StepFailed
from stend.base.process import ticks
from stend.fleet import beside, certificates, sealed, tasks
from stend.fleet.file import Order, Study
from stend.live import serving
from stend.session import Request
from stend.session.together import group, roll
from tests.forks import gone


def certificate(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def test_a_host_has_a_certificate_of_its_name_for_both_sides_signed_by_the_authority(tmp_path: Path) -> None:
    """Valid for 825 days, a choice of ours, and from a day before now, because clocks of hosts may be slow."""
    folder = tmp_path / "ca"
    made = certificates.make(folder, ["desk", "h-1.lab_x"])
    assert made == [folder / "desk.pem", folder / "h-1.lab_x.pem"]
    authority, host = certificate(folder / "authority.pem"), certificate(made[1])
    host.verify_directly_issued_by(authority)
    assert authority.subject.rfc4514_string() == authority.issuer.rfc4514_string() == "CN=stend fleet"
    assert host.subject.rfc4514_string() == "CN=h-1.lab_x"
    limits = [each.extensions.get_extension_for_class(x509.BasicConstraints) for each in (authority, host)]
    assert [(limit.critical, limit.value.ca, limit.value.path_length) for limit in limits] == [
        (True, True, 0), (True, False, None)
    ]  # fmt: skip
    names = host.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    assert (names.critical, names.value.get_values_for_type(x509.DNSName)) == (False, ["h-1.lab_x"])
    usage = host.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    assert usage.critical is False
    assert set(usage.value) == {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH}
    for each in (authority, host):
        assert isinstance(each.public_key(), ec.EllipticCurvePublicKey)
        assert each.not_valid_after_utc - each.not_valid_before_utc == timedelta(days=826)
        assert timedelta(days=1) <= datetime.now(UTC) - each.not_valid_before_utc < timedelta(days=1, minutes=10)
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    later = certificates.make(folder, ["other"])
    certificate(later[0]).verify_directly_issued_by(authority)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a b"], "'a b' cannot be the name of a host: use 1 to 63 of the characters"),
        ([""], "'' cannot be the name of a host"),
        ([".a"], "'.a' cannot be the name of a host"),
        (["a" * 64], "cannot be the name of a host"),
        (["a", "b", "a"], "the name a is used twice or is that of the authority"),
        (["authority"], "the name authority is used twice or is that of the authority"),
    ],
)
def test_a_name_that_is_none_of_a_host_is_refused_before_anything_is_written(
    names: list[str], words: str, tmp_path: Path
) -> None:
    with pytest.raises(BadInput, match=words.replace(".", r"\.")):
        certificates.make(tmp_path / "ca", names)
    assert not (tmp_path / "ca").exists()


def test_a_name_may_have_63_characters_and_one_certificate(tmp_path: Path) -> None:
    certificates.make(tmp_path, ["a" * 63])
    with pytest.raises(BadInput, match=r"has a certificate for a+ already"):
        certificates.make(tmp_path, ["b", "a" * 63])
    assert not (tmp_path / "b.key").exists()


def test_only_names_of_a_fleet_are_unpacked() -> None:
    for value in (b"x", "x", 1.5, [1, {"a": (2, {3}, None)}], OSError(5, "x"), BadInput("x")):
        assert repr(sealed.loads(pickle.dumps(value))) == repr(value)
    assert sealed.loads(pickle.dumps(tasks.states)) is tasks.states
    for code in (os.system, eval, pickle.loads, certificates.make):
        with pytest.raises(BadInput, match="which a fleet does not use; it is not unpacked"):
            sealed.loads(pickle.dumps(code))
    part = pickle.PickleBuffer(b"xyz")
    buffers = list[Any]()
    data = pickle.dumps(part, protocol=5, buffer_callback=buffers.append)
    assert bytes(sealed.loads(data, buffers=buffers)) == b"xyz"


@pytest.mark.parametrize(
    ("fleet", "cell", "place"),
    [
        ("f", "a-1", "f/1/a-1"),
        ("f", "a-b-02", "f/02/a-b-02"),
        ("f", "1", "f/1/1"),
        ("", "a-1", None),
        ("f", "", None),
        ("f", "a-", None),
        ("f", "..-1", None),
        ("f", "a/b-1", None),
        ("f", "a-1/..", None),
        ("..", "a-1", None),
    ],
)
def test_a_run_of_a_fleet_is_below_its_home(
    fleet: str, cell: str, place: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "HOME", tmp_path)
    if place is None:
        with pytest.raises(BadInput, match="is not a name of a run"):
            tasks._place(fleet, cell)
    else:
        assert tasks._place(fleet, cell) == tmp_path / "runs" / place


def test_files_of_a_run_are_listed_and_read_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tasks, "HOME", tmp_path)
    monkeypatch.setattr(tasks, "PIECE_BYTES", 4)
    folder = tmp_path / "runs/f/1/a-1"
    (folder / "raw").mkdir(parents=True)
    (folder / "raw/x").write_bytes(b"0123456789")
    (folder / "link").symlink_to(folder / "raw/x")
    ten = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882"  # `printf 0123456789 | sha256sum`
    assert tasks.listing("f", "a-1") == {"raw/x": (10, ten)}
    assert tasks.listing("f", "b-1") == {}
    assert [tasks.piece("f", "a-1", "raw/x", at) for at in (0, 4, 8, 10)] == [b"0123", b"4567", b"89", b""]
    (tmp_path / "secret").touch()
    for name in ("raw", "none", "../../../../secret", "/etc/hostname"):
        with pytest.raises(BadInput, match="is not a file of that run"):
            tasks.piece("f", "a-1", name, 0)


def test_a_member_may_still_come_while_its_process_or_that_which_starts_it_exists(tmp_path: Path) -> None:
    assert not roll.coming(tmp_path, "a", 1)
    assert (roll.pid_of(tmp_path, "a"), roll.lives(tmp_path, "a")) == (0, False)
    roll.enter(tmp_path, roll.BEGINNER)
    assert roll.coming(tmp_path, "a", 1), "the process that starts it exists"
    roll.enter(tmp_path, "a", 2)
    assert [roll.coming(tmp_path, "a", moment) for moment in (1, 2, 3)] == [False, False, True]
    assert roll.pid_of(tmp_path, "a") == os.getpid()
    roll.enter(tmp_path, "a", pid=os.getppid())
    assert roll.pid_of(tmp_path, "a") == os.getppid()
    assert [roll.coming(tmp_path, "a", moment) for moment in (0, 1)] == [False, True]
    for state in (roll.State(gone(), 5), roll.State(os.getpid(), ticks(os.getpid()) + 1), roll.State(os.getpid(), 0)):
        roll.place(tmp_path, "a").write_bytes(msgspec.json.encode(state))
        assert roll.pid_of(tmp_path, "a") == 0
        assert not roll.coming(tmp_path, "a", 9)
    roll.place(tmp_path, "a").write_text("{")
    assert roll.coming(tmp_path, "a", 9), "a file that cannot be read is none"


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        ("a" * 32, 0o600, ""),
        (" " + "a" * 32 + "\n", 0o400, ""),
        ("a" * 31, 0o600, "does not hold a token; write one word of 32 characters or more into it"),
        ("a" * 16 + " " + "a" * 16, 0o600, "does not hold a token"),
        ("a" * 16 + "\t" + "a" * 16, 0o600, "does not hold a token"),
        ("é" * 32, 0o600, "cannot be read"),
        ("a" * 32, 0o640, "other users of this host can read .*; run `chmod 600 "),
        ("a" * 32, 0o604, "other users"),
        ("a" * 32, 0o601, "other users"),
    ],
)
def test_a_token_is_one_word_of_32_characters_that_no_other_user_can_read(
    text: str, mode: int, words: str, tmp_path: Path
) -> None:
    file = tmp_path / "token"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    if words:
        with pytest.raises(BadInput, match=words):
            serving._token(file)
    else:
        assert serving._token(file) == "a" * 32


def test_a_new_token_has_192_bits_and_a_missing_file_none(tmp_path: Path) -> None:
    first, second = serving._token(None), serving._token(None)
    assert first != second
    assert len(first) == 32, "24 bytes in base64"
    with pytest.raises(BadInput, match="cannot be read: No such file or directory"):
        serving._token(tmp_path / "none")


def test_an_address_in_use_is_refused_with_its_port() -> None:
    with serving._socket("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with pytest.raises(StepFailed, match=f"^cannot listen on 127.0.0.1:{port}: .*; choose another --port"):
            serving._socket("127.0.0.1", port)


@pytest.mark.parametrize(
    ("drives", "virtual", "together", "elsewhere", "grouped"),
    [
        ("AB", "", False, "", True),
        ("A", "", False, "", False),
        ("AB", "B", False, "", False),
        ("AB", "B", True, "", True),
        ("AB", "AB", True, "", True),
        ("AB", "", False, "B", False),
        ("ABC", "C", False, "", True),
        ("ABC", "BC", False, "", False),
        ("A", "", True, "", False),
    ],
)
def test_runs_of_a_fleet_on_one_host_are_a_group_if_two_real_drives_share_it_or_all_begin_together(
    drives: str, virtual: str, together: bool, elsewhere: str, grouped: bool, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A drive that another fleet has, or that this host does not have, is none of them."""
    names = list[dict[str, str]]()

    def tried(order: Order, of: dict[str, str], *_: Any) -> str:
        names.append(of)
        return "no trial here"

    monkeypatch.setattr(beside, "_try", tried)
    cells: dict[str, tuple[str, ...]] = {serial: (f"{serial}-1", f"{serial}-2") for serial in [*drives, "Z"]}
    order = Order("f", "A-2", "A", Study(["iops"]), cells["A"], cells, together)
    targets = {serial: f"{'sim:' if serial in virtual else '/dev/'}{serial}" for serial in drives}
    others = dict.fromkeys(elsewhere, "g")
    failure = beside.ready(order, targets, tmp_path / "f", lambda serial: others.get(serial, ""))
    assert failure == ("no trial here" if grouped else "")
    assert names == [{f"{serial}-1": serial for serial in drives}] * grouped
    assert (tmp_path / "f").exists() is grouped


def test_a_group_of_a_study_has_the_runs_of_that_study_and_is_made_once(tmp_path: Path) -> None:
    cells: dict[str, tuple[str, ...]] = {serial: (f"{serial}-1", f"{serial}-2") for serial in "AB"}
    order = Order("f", "A-2", "A", Study(["iops"]), cells["A"], cells)
    targets = {serial: f"/dev/{serial}" for serial in "AB"}
    first = group.Group(
        tuple(group.Member(f"{serial}-1", Request(["iops"], f"/dev/{serial}"), "all") for serial in "ABX"), quiet=True
    )
    group.create(tmp_path, first)
    (tmp_path / beside.KNOWN).write_text('["A-1", "B-1"]')
    for _ in range(2):
        assert beside.ready(order, targets, tmp_path, lambda serial: "") == ""
    made = group.load(tmp_path / "2")
    assert [(member.name, member.lane, member.request.target) for member in made.members] == [
        ("A-2", "all", "/dev/A"), ("B-2", "all", "/dev/B")
    ]  # fmt: skip
    assert (made.quiet, made.barrier) == (True, False)
    assert all(member.request.into is None for member in made.members)
    assert roll.lives(tmp_path / "2", roll.BEGINNER)
    (tmp_path / beside.KNOWN).write_text("{")
    assert beside._known(tmp_path) == beside._known(tmp_path / "none") == set()


def test_the_study_of_a_run_is_the_last_part_of_its_name() -> None:
    assert Order("f", "A-b-02", "A", Study(["iops"])).study_word == "02"


@pytest.mark.parametrize(
    ("target", "tests", "destroy"),
    [("/dev/x", ["iops"], "A"), ("sim:small", ["iops"], None), ("/dev/x", ["inspect"], None)],
)
def test_an_order_permits_to_destroy_data_only_of_a_real_drive_that_is_written(
    target: str, tests: list[str], destroy: str | None
) -> None:
    request = Order("f", "A-1", "A", Study(tests, depth=8)).request(target, Path("r"))
    assert (request.destroy, request.into, request.label, request.target) == (destroy, "r", "f", target)
    assert (request.tests, request.depth, request.seed) == (tests, 8, None)

"""``rtlat check`` as CI calls it: exit status, files, and what it says of mistakes; the README's workflows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from rtlat.cli import _parser, main

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "data" / "seeds"
LOG = SEEDS / "rtirq-results.txt"
README = (ROOT / "README.md").read_text("utf-8")

SUPPORTED, REFUTED, UNDECIDED = "p99 <= 5us", "max <= 5us", "exceed(10us) < 1/day"


@pytest.fixture
def claims(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A function that writes a file of claims."""

    def written(*texts: str) -> str:
        path = tmp_path / "claims.toml"
        path.write_text("\n".join(f'[[claim]]\nclaim = "{text}"' for text in texts), "utf-8")
        return str(path)

    return written


@pytest.mark.parametrize(
    ("texts", "options", "status"),
    [
        ((SUPPORTED,), (), 0),
        ((SUPPORTED, REFUTED, UNDECIDED), (), 1),
        ((SUPPORTED, UNDECIDED), (), 3),
        ((SUPPORTED, UNDECIDED), ("--undecided=fail",), 1),
        ((SUPPORTED, UNDECIDED), ("--undecided=pass",), 0),
        ((REFUTED, UNDECIDED), ("--undecided=pass",), 1),
    ],
)
def test_the_exit_status_says_the_outcome(
    claims, texts: tuple[str, ...], options: tuple[str, ...], status: int
) -> None:  # type: ignore[no-untyped-def]
    assert main(["check", claims(*texts), str(LOG), *options]) == status


def test_what_is_read_is_told(claims, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    main(["check", claims(SUPPORTED, REFUTED, UNDECIDED), str(LOG)])
    lines = capsys.readouterr().out.splitlines()
    heads = [line[:12].strip() for line in lines if line[:12].strip() in ("supported", "refuted", "undecided")]
    assert heads == ["supported", "refuted", "undecided"]
    told = " ".join(" ".join(lines).split())
    assert "worst observed 5.2-5.3 us of 60,000 cycles (1 min)" in told
    assert "takes: 258,831,267 cycles without one (72 h)" in told
    assert "3 claims: 1 supported, 1 refuted, 1 undecided." in told
    assert max(map(len, lines)) <= 118


def test_files_are_written_whole(claims, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    files = [tmp_path / "out" / name for name in ("j.xml", "j.json", "j.md")]
    options = [
        word for option, file in zip(("--junit", "--json", "--md"), files, strict=True) for word in (option, str(file))
    ]
    assert main(["check", claims(SUPPORTED, REFUTED), str(LOG), *options]) == 1
    document = json.loads(files[1].read_text(), parse_constant=lambda name: pytest.fail(name))
    assert (document["schema"], document["outcome"]) == (1, "refuted")
    assert [claim["outcome"] for claim in document["claims"]] == ["supported", "refuted"]
    comment = files[2].read_text("utf-8")
    assert comment.startswith("### Latency claims: refuted\n")
    assert "| **refuted** | max &lt;= 5us" in comment
    assert "<testsuites>" in files[0].read_text()
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["j.json", "j.md", "j.xml"]


def test_what_it_takes_is_a_number_in_json(claims, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "out.json"
    assert main(["check", claims(UNDECIDED), str(LOG), "--json", str(path)]) == 3
    (claim,) = json.loads(path.read_text())["claims"]
    assert claim["takes"]["n"] == 258_831_267
    assert claim["takes"]["seconds"] == pytest.approx(2.99573 * 86_400, rel=1e-5)
    assert claim["findings"][0]["about"] == "rtirq high priority"


@pytest.mark.parametrize(
    ("claim", "log", "told"),
    [
        (SUPPORTED, "empty.txt", "empty.txt: found an empty"),
        (SUPPORTED, "none.txt", "none.txt: found nothing"),
        ("max =< 5us", str(LOG), "claims.toml:2: claim: found 'max =< 5us'"),
        ("max <= 5cycles", str(LOG), "claims.toml:2: found the limit 5 cycles, expected us"),
        ("", str(LOG), "none.toml: found nothing, expected a claims file"),
    ],
)
def test_no_mistake_looks_like_a_refutation(
    claims, tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str, log: str, told: str
) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty.txt").write_text("")
    file = claims(claim) if claim else str(tmp_path / "none.toml")
    assert main(["check", file, str(tmp_path / log)]) == 4
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_an_unreadable_log_beside_others_is_told(claims, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "empty.txt").write_text("")
    assert main(["check", claims(SUPPORTED), str(LOG), str(tmp_path / "empty.txt")]) == 4
    assert "1 claim: 1 supported." in capsys.readouterr().out


def test_a_reference_is_read_from_paths(claims, capsys: pytest.CaptureFixture[str]) -> None:  # type: ignore[no-untyped-def]
    repeats = ROOT / "data" / "emulated-kernels" / "repeats"
    asked = claims("no worse than reference on exceed(300us) within 10 %")
    words = ["--against", f"{repeats}/stock-*-idle.hist"]
    assert main(["check", asked, f"{repeats}/preempt_rt-*-idle.hist", *words]) == 0
    assert "in a million" in " ".join(capsys.readouterr().out.split())
    assert main(["check", asked, f"{repeats}/preempt_rt-[1-4]-idle.hist", *words]) == 3
    assert "5 an arm are needed" in " ".join(capsys.readouterr().out.split())
    assert main(["check", asked, f"{repeats}/preempt_rt-*-idle.hist"]) == 3


def test_a_comment_is_no_markup(claims, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "hostile.toml"
    path.write_text('[[claim]]\nclaim = "max <= 5us"\nname = "<script>|[x](javascript:y) @all `a`\\n# b"\n', "utf-8")
    out = tmp_path / "comment.md"
    main(["check", str(path), str(LOG), "--md", str(out)])
    (row,) = [line for line in out.read_text("utf-8").splitlines() if "script" in line]
    assert "<script>" not in row
    assert "@all" not in row
    assert len(re.findall(r"(?<!\\)\|", row)) == 5
    assert r"\[x\](javascript:y)" in row


def workflows() -> list[Any]:
    """The README's workflows."""
    section = README[README.index("## Check\n") :]
    return [
        yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", section[: section.index("\n## ", 5)], re.S)
    ]


def test_the_workflows_of_the_readme_parse_and_call_what_exists() -> None:
    github, gitlab = workflows()
    steps = github["jobs"]["latency"]["steps"]
    scripts = [step["run"] for step in steps if "run" in step] + gitlab["latency"]["script"]
    commands = [script.removeprefix("./run ") for script in scripts if "rtlat " in script]
    assert len(commands) == 2
    for command in commands:
        _, *words = shlex.split(command)
        options = _parser(words).parse_args(words)
        assert options.claims == Path("claims.toml")
        assert options.junit == Path("junit.xml")
    assert gitlab["latency"]["allow_failure"]["exit_codes"] == [3]
    assert gitlab["latency"]["artifacts"]["reports"]["junit"] == "junit.xml"
    for block in re.findall(r"```yaml\n(.*?)```", README[README.index("## Check\n") :], re.S)[:2]:
        assert len(block.splitlines()) <= 14


def test_the_claims_of_the_readme_can_be_read(tmp_path: Path) -> None:
    from rtlat.claiming.claims import load

    (block,) = re.findall(
        r"```toml\n(.*?)```", README[README.index("## Check\n") : README.index("## Remember\n")], re.S
    )
    path = tmp_path / "claims.toml"
    path.write_text(block, "utf-8")
    assert len(load(path).claims) == 2

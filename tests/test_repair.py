"""Every rule by which a line loses what was put around it, and what must stay."""

from __future__ import annotations

import pytest

from rtlat.repair import clean, elisions

ROW = "000012 000171\t000025"


def shown(raw: str, margin: int = 0) -> list[str]:
    return [line.text for line in clean(raw.encode(), 1, margin=margin)]


@pytest.mark.parametrize(
    "around",
    [
        # escape codes, repaints
        "\x1b[32m{}\x1b[0m",
        "\x1b]0;cyclictest\x07{}",
        "\x1b[2K\x1b[1A{}",
        "{}\r",
        # quoting
        ">{}",
        "> {}",
        ">> {}",
        "> > {}",
        ">>>> {}",
        "| {}",
        "> | {}",
        # dmesg, syslog, journalctl
        "[    1.234567] {}",
        "<4>[ 1234.567890] {}",
        "<4>{}",
        "[Mon Nov 30 10:11:12 2026] {}",
        "2026-11-30T10:11:12,123456+01:00 {}",
        "Nov  3 10:11:12 host kernel: {}",
        "Nov 3 10:11:12 host kernel: {}",
        "Nov 30 10:11:12 host cyclictest[42]: {}",
        "Nov 30 10:11:12.123456 host cyclictest[42]: {}",
        "<30>Nov 30 10:11:12 host cyclictest: {}",
        "2026-11-30T10:11:12+0100 host cyclictest[42]: {}",
        "2026-11-30 10:11:12 host cyclictest[42]: {}",
        "[ 1234.567890] host cyclictest[42]: {}",
        "Nov 30 10:11:12 host kernel: [  178.940333] {}",
        # terminals and CI servers
        "[10:11:12.345] {}",
        "[2026-11-30 10:11:12] {}",
        "[2026-11-30T10:11:12.123Z] {}",
        "2026-11-30T10:11:12.1234567Z {}",
        # web pages
        "<pre>{}",
        "{}</code></pre>",
        '<span class="line">{}</span>',
        # one around the other
        "> <4>[    1.234567] {}",
        "2026-11-30T10:11:12.1234567Z [    1.234567] {}",
        "&gt; {}",
        "\x1b[32m> {}\x1b[0m",
    ],
)
def test_what_is_put_around_a_line_is_taken_away(around: str) -> None:
    assert shown(around.format(ROW)) == [ROW]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("RTD&#124;      4.458&#x7c;      7.504", "RTD|      4.458|      7.504"),
        ("#1 -&gt; #0, Min&nbsp; &nbsp; 3", "#1 -> #0, Min    3"),
        ("&quot;min&quot;: 17, &amp;&lt;", '"min": 17, &<'),
        ("T:\u00a00\u202f(\u00a042)\ufeff", "T: 0 ( 42)"),
        ("^C# Histogram", "# Histogram"),
        ("^C^CRTD|  4.458", "RTD|  4.458"),
        ("  ^CRTD|  4.458", "RTD|  4.458"),
        ("^C", ""),
        ("```", ""),
        ("```console", ""),
        ("~~~", ""),
    ],
)
def test_what_stands_for_something_else(raw: str, text: str) -> None:
    assert shown(raw) == [text]


@pytest.mark.parametrize(
    "text",
    [
        "[T0 Prio: 60] 2123",
        "[ 0 - 99 ] = 4727",
        "[2, 4)                 3759 |@@@@@                                          |",
        "<idle>-0       [001] d.h1.    15.541057: #1     context    irq timer_latency     94171 ns",
        "<...>-1234     [001] .....    15.541057: #1     context thread timer_latency    131000 ns",
        "| **RTD** | 1.485   | 2.709   |",
        "|---------|---------|",
        "|     49.833",
        "|       0|     0|      4.458|     49.833",
        "|    00:00:04/00:00:04",
        "|rteval (v3.8)",
        "&unknown; &#955; &;",
        "a < b && c > d",
        "       0:       0:      38",
        "Max Latency: 48us",
        "# Min Latencies: 00018 00010",
        "2026-11-30 10:11:12 1234",
        "...",
        "x^C",
        "a```",
        "Nov 30 10:11:12 2026",
    ],
)
def test_what_no_rule_explains_stays(text: str) -> None:
    assert shown(text) == [text]


def test_each_screen_and_each_line_of_a_page_is_a_line_of_the_same_number() -> None:
    assert shown("50%\r75%\r100%") == ["50%", "75%", "100%"]
    assert shown("one<br>two<br />three") == ["one", "two", "three"]
    assert shown("T: 0\x1b[2Apolicy: fifo") == ["T: 0", "policy: fifo"]


@pytest.mark.parametrize(
    ("raw", "margin", "text"),
    [
        ("    RTD|", 4, "RTD|"),
        ("      RTD|", 4, "  RTD|"),
        ("  RTD|", 4, "RTD|"),
        ("\tRTD|", 1, "RTD|"),
        (">     RTD|", 4, "RTD|"),
        ("    [    1.234567] RTD|", 4, "RTD|"),
        ("    RTD|", 0, "    RTD|"),
    ],
)
def test_no_more_blanks_are_taken_than_the_margin_has(raw: str, margin: int, text: str) -> None:
    assert shown(raw, margin) == [text]


@pytest.mark.parametrize(
    ("raw", "quote"), [("RTD|", 0), ("> RTD|", 1), (">> RTD|", 2), ("> > RTD|", 2), ("| RTD|4", 1)]
)
def test_quoting_is_counted(raw: str, quote: int) -> None:
    (line,) = clean(raw.encode(), 3)
    assert (line.number, line.quote) == (3, quote)


def test_a_stop_is_noted() -> None:
    assert next(clean(b"^CRTD|", 1)).stopped
    assert not next(clean(b"RTD|^C", 1)).stopped


@pytest.mark.parametrize(
    "line", ["...", "   ...", ".....", "…", "[...]", "[…]", "[snip]", "<snip>", "(...)", "> ...", "| ..."]
)
def test_a_line_of_dots_says_that_lines_are_missing(line: str) -> None:
    assert list(elisions(f"a\n{line}\nb\n".encode(), 5)) == [6]


@pytest.mark.parametrize("line", ["..", "warming up...", "0  ...", "[....]", ". . .", ""])
def test_other_dots_say_nothing(line: str) -> None:
    assert list(elisions(f"a\n{line}\nb\n".encode(), 5)) == []


def test_a_hostile_line_costs_no_more_than_its_length() -> None:
    for piece in (
        ">",
        "> ",
        "| ",
        "[ ",
        "<",
        "&",
        "^C",
        " ",
        "<br>",
        "<pre ",
        "\x1b[",
        "2026-11-30T10:11:12Z ",
        "Nov 30 ",
    ):
        list(clean((piece * 200_000).encode(), 1, margin=8))
        list(elisions((piece * 200_000).encode(), 1))

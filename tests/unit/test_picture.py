"""The picture of a screen: every sign in the cell where the terminal has it."""

from __future__ import annotations

from xml.etree import ElementTree

import pyte

from tests.support.picture import BACK, BASE, EDGE, HEIGHT, WIDTH, picture

SVG = "{http://www.w3.org/2000/svg}"


def screen(text: str) -> pyte.Screen:
    found = pyte.Screen(20, 2)
    pyte.Stream(found).feed(text)
    return found


def texts(text: str) -> list[tuple[int, int, str, dict[str, str]]]:
    """Column, width, text and attributes of each piece of the first row."""
    found = []
    for piece in ElementTree.fromstring(picture(screen(text), "t")).iter(f"{SVG}text"):
        assert float(piece.attrib["y"]) == EDGE + BASE
        column = (float(piece.attrib["x"]) - EDGE) / WIDTH
        width = float(piece.attrib["textLength"]) / WIDTH
        found.append((round(column), round(width), piece.text or "", dict(piece.attrib)))
    return found


def test_signs_of_other_fonts_stand_alone() -> None:
    said = [piece[:3] for piece in texts("a  b ✓ 1\u00b7日本<&")]
    assert said == [
        (0, 4, "a\u00a0\u00a0b"),
        (5, 1, "✓"),
        (7, 1, "1"),
        (8, 1, "·"),
        (9, 2, "日"),
        (11, 2, "本"),
        (13, 2, "<&"),
    ]


def test_looks() -> None:
    bold, italic, line, struck, red, exact = (
        piece[3]
        for piece in texts("\x1b[1mb\x1b[0;3mi\x1b[0;4m u \x1b[0;9ms\x1b[0;31mr\x1b[38;2;1;2;3mx\x1b[0m")
    )
    assert bold["font-weight"] == "bold"
    assert italic["font-style"] == "italic"
    assert (line["text-decoration"], round(float(line["textLength"]) / WIDTH)) == ("underline", 3)
    assert struck["text-decoration"] == "line-through"
    assert (red["fill"], exact["fill"]) == ("#ffc0b9", "#010203")


def test_grounds_are_one_piece() -> None:
    root = ElementTree.fromstring(picture(screen("ab\x1b[7mcd\x1b[1mef\x1b[0mgh"), "<t>"))
    whole, shade = root.iter(f"{SVG}rect")
    assert whole.attrib["fill"] == BACK
    assert (shade.attrib["x"], shade.attrib["width"]) == (f"{EDGE + 2 * WIDTH:.2f}", f"{4 * WIDTH:.2f}")
    assert shade.attrib["height"] == str(HEIGHT)
    title = root.find(f"{SVG}title")
    assert title is not None
    assert title.text == "<t>"

"""A terminal's screen as SVG."""

from __future__ import annotations

from html import escape
from typing import Final, NamedTuple

import pyte

FONTS: Final = "DejaVu Sans Mono, Menlo, Consolas, ui-monospace, monospace"
SIZE: Final = 14
WIDTH: Final = 8.43
"""Of a cell: what DejaVu Sans Mono advances at that size."""
HEIGHT: Final = 18
BASE: Final = 13.5
"""From a cell's top to the line that its letters stand on."""
EDGE: Final = 12
"""Around the screen."""

FORE: Final = "#e0e2ea"
BACK: Final = "#14161b"
NAMED: Final = {
    "black": "#07080d",
    "red": "#ffc0b9",
    "green": "#b3f6c0",
    "brown": "#fce094",
    "blue": "#a6dbff",
    "magenta": "#ffcaff",
    "cyan": "#8cf8f7",
    "white": "#eef1f8",
}
"""Neovim's default dark scheme for the terminal's own colours."""


class Style(NamedTuple):
    """How a cell looks."""

    fore: str
    back: str
    bold: bool
    italic: bool
    underlined: bool
    struck: bool


class Run(NamedTuple):
    """Cells side by side that look the same; columns count from 0."""

    column: int
    width: int
    text: str
    style: Style

    @property
    def end(self) -> int:
        """The column after it."""
        return self.column + self.width


def picture(screen: pyte.Screen, title: str) -> str:
    """The whole screen in Neovim's default dark colours."""
    width, height = screen.columns * WIDTH + 2 * EDGE, screen.lines * HEIGHT + 2 * EDGE
    backs: list[str] = []
    texts: list[str] = []
    for row in range(screen.lines):
        top = EDGE + row * HEIGHT
        cells = runs(screen, row)
        backs += [_rectangle(run, top) for run in shaded(cells)]
        texts += [_text(run, top) for run in map(trimmed, cells) if run.text]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height}" '
            f'viewBox="0 0 {width:.0f} {height}" role="img">',
            f"<title>{escape(title)}</title>",
            f'<rect width="100%" height="100%" rx="6" fill="{BACK}"/>',
            '<g shape-rendering="crispEdges">',
            *backs,
            "</g>",
            f'<g font-family="{FONTS}" font-size="{SIZE}">',
            *texts,
            "</g>",
            "</svg>",
        ]
    )


def runs(screen: pyte.Screen, row: int) -> list[Run]:
    """A row from left to right.

    A sign that may come from another font, and so be wider or narrower than a cell, is a run of its own:
    it moves nothing that follows.
    """
    found: list[Run] = []
    for column in range(screen.columns):
        cell = screen.buffer[row][column]
        look = style(cell)
        last = found[-1] if found else None
        # The second cell of a wide sign is empty.
        joins = not cell.data or (cell.data.isascii() and last is not None and last.text.isascii())
        if last is not None and last.style == look and joins:
            found[-1] = last._replace(width=last.width + 1, text=last.text + cell.data)
        else:
            found.append(Run(column, 1, cell.data, look))
    return found


def shaded(row: list[Run]) -> list[Run]:
    """Where a row's ground is not the screen's: runs without text, as long as can be."""
    found: list[Run] = []
    for run in row:
        if found and found[-1].end == run.column and found[-1].style.back == run.style.back:
            found[-1] = found[-1]._replace(width=found[-1].width + run.width)
        elif run.style.back != BACK:
            found.append(run._replace(text=""))
    return found


def trimmed(run: Run) -> Run:
    """Without the blanks at its ends, unless they are seen."""
    if run.style.underlined or run.style.struck:
        return run
    left = len(run.text) - len(run.text.lstrip(" "))
    text = run.text.strip(" ")
    return Run(run.column + left, run.width - (len(run.text) - len(text)), text, run.style)


def style(cell: pyte.screens.Char) -> Style:
    """The look of a cell, its colours as `#rrggbb`."""
    fore, back = _colour(cell.fg, FORE), _colour(cell.bg, BACK)
    if cell.reverse:
        fore, back = back, fore
    return Style(fore, back, cell.bold, cell.italics, cell.underscore, cell.strikethrough)


def _colour(name: str, default: str) -> str:
    if name == "default":
        return default
    return NAMED.get(name.removeprefix("bright"), f"#{name}" if len(name) == 6 else default)


def _rectangle(run: Run, top: int) -> str:
    left = EDGE + run.column * WIDTH
    return (
        f'<rect x="{left:.2f}" y="{top}" width="{run.width * WIDTH:.2f}" height="{HEIGHT}" '
        f'fill="{run.style.back}"/>'
    )


def _text(run: Run, top: int) -> str:
    look = f' fill="{run.style.fore}"'
    if run.style.bold:
        look += ' font-weight="bold"'
    if run.style.italic:
        look += ' font-style="italic"'
    lines = [
        name for name, on in (("underline", run.style.underlined), ("line-through", run.style.struck)) if on
    ]
    if lines:
        look += f' text-decoration="{" ".join(lines)}"'
    # Several blanks in a row would be drawn as one.
    text = escape(run.text, quote=False).replace(" ", "\u00a0")
    left = EDGE + run.column * WIDTH
    return f'<text x="{left:.2f}" y="{top + BASE}" textLength="{run.width * WIDTH:.2f}"{look}>{text}</text>'

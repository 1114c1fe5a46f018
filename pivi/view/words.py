"""Numbers, times and amounts as people read them."""

from __future__ import annotations

import time
from typing import Final

from pivi.transcript.blocks import Image, Usage
from pivi.view.cells import shortened
from pivi.view.icons import Icons
from pivi.view.safe import line_text

_LAST: Final = 4096
"""Characters of an output's end in which its last line is looked for."""
_LAST_COLUMNS: Final = 60


def count_text(count: int, noun: str) -> str:
    """`1 line`, `1,200 lines`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_text(size: int) -> str:
    """`812 bytes`, `24.1 kB`, `3.0 MB`: powers of 1000."""
    if size < 1000:
        return count_text(size, "byte")
    return f"{size / 1e3:.1f} kB" if size < 999_950 else f"{size / 1e6:,.1f} MB"


def tokens_text(tokens: int) -> str:
    """`200`, `2.3k`, `98k`, `1.2M`."""
    if tokens < 1000:
        return str(tokens)
    if tokens < 9_950:
        return f"{tokens / 1e3:.1f}k"
    return f"{tokens / 1e3:.0f}k" if tokens < 999_500 else f"{tokens / 1e6:.1f}M"


def duration_text(milliseconds: int) -> str:
    """`12 ms`, `0.2 s`, `3 min 5 s`."""
    if milliseconds < 100:
        return f"{milliseconds} ms"
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def progress_text(seconds: float, output: str, icons: Icons) -> str:
    """`running · 12 s · the last line of the output`."""
    whole = int(seconds)
    passed = f"{whole} s" if whole < 60 else duration_text(1000 * whole)
    last = line_text(output[-_LAST:].rstrip().replace("\r", "\n").rpartition("\n")[2]).strip()
    words = ("running", passed if whole else "", shortened(last, _LAST_COLUMNS, icons.ellipsis))
    return icons.dot.join(word for word in words if word)


def clock_text(when: int | None) -> str:
    """Local time `14:03` of milliseconds since the epoch; `""` where there is none that a clock shows."""
    return _local("%H:%M", when)


def date_text(when: int | None) -> str:
    """Local date and time, `2026-11-01 14:03`."""
    return _local("%Y-%m-%d %H:%M", when)


def _local(shape: str, when: int | None) -> str:
    if when is None:
        return ""
    try:
        return time.strftime(shape, time.localtime(when / 1000))
    except (OverflowError, ValueError, OSError):  # a stored number that is no time of any calendar
        return ""


def usage_text(usage: Usage | None, icons: Icons) -> str:
    """Compact as in Pi's own footer: sent, received, read from and written to the cache, cost."""
    if usage is None:
        return ""
    words = (
        usage.input and f"{icons.sent}{tokens_text(usage.input)}",
        usage.output and f"{icons.received}{tokens_text(usage.output)}",
        usage.cache_read and f"R{tokens_text(usage.cache_read)}",
        usage.cache_write and f"W{tokens_text(usage.cache_write)}",
        usage.cost and (f"${usage.cost:.3f}" if usage.cost >= 0.0005 else "<$0.001"),
    )
    return " ".join(word for word in words if word)


def image_text(image: Image, icons: Icons) -> str:
    """`[image: image/png, 24.1 kB, 640 × 480]`."""
    pixels = ""
    if image.width is not None and image.height is not None:
        pixels = f", {image.width} {icons.times} {image.height}"
    return f"[image: {line_text(image.mime)}, {bytes_text(image.size)}{pixels}]"

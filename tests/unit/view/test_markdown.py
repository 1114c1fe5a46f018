"""A transcript as a document: heads, details, fences that end where they should."""

from __future__ import annotations

import pytest

from pivi.transcript import blocks as b
from pivi.view.icons import ASCII
from pivi.view.markdown import closed, document


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("no fence", ""),
        ("```py\nx\n```", ""),
        ("```py\nx", "\n```"),
        ("````\n```\nx", "\n````"),
        ("~~~ a `b`\n```\nx", "\n~~~"),
        ("``` not `a` fence", ""),
        ("    ```\nindented code", ""),
        ("```\nx\n``` with words\ny", "\n```"),
        ("```\na\n```\n\n   ```\nb", "\n```"),
    ],
)
def test_a_fence_that_is_left_open_is_closed(text: str, end: str) -> None:
    assert closed(text) == text + end


def test_what_is_closed_in_the_buffer_is_details_unless_it_is_short() -> None:
    long = "\n".join("line" for _ in range(20))
    calls = [
        b.ToolCall(key=text[:3], name="bash", tool_id="1", subject="make", outcome=b.Outcome(text))
        for text in (long, "one line")
    ]
    thinking = b.Thinking(key="t", text="hm")
    texts = list(document([thinking, *calls], ASCII))
    assert ["<details>" in text for text in texts] == [True, True, False]
    assert texts[2] == "### bash make (ok 1 line)\n\n```\none line\n```\n\n"


def test_a_run_is_one_details_that_ends_with_it() -> None:
    run = b.Branch(key="r", run="r", entries=2, first_prompt="<b>", leaf="x")
    inside = b.Answer(key="i", run="r", text="inside")
    text = "".join(document([run, inside, b.Answer(key="o", text="outside")], ASCII))
    assert text.startswith(
        "<details>\n<summary>Another branch: 2 entries, &quot;&lt;b&gt;&quot;, leaf x</summary>\n\n"
    )
    assert text.endswith("inside\n\n</details>\n\noutside\n\n")

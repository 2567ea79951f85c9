"""TOML that is cheap to read is read as it is; what would cost a server its memory is refused at once."""

from __future__ import annotations

import time
import tomllib

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from planner.text.toml_document import TomlError, parsed

BOMBS = {
    "a dotted key": 'name = "d"\nx' + ".x" * 100_000 + " = 1",
    "a spaced key": "a" + " . a" * 100_000 + " = 1",
    "a quoted key": '"a"' + '."a"' * 100_000 + " = 1",
    "a header": "[a" + ".a" * 100_000 + "]",
    "a key in an inline table": "k = {" + "a." * 100_000 + "b = 1}",
    "a key after a string of quotes": "s = '''\"'''\nx" + ".x" * 100_000 + " = 1",
    "many long keys": "".join(f"{'x.' * 18}k{i} = 1\n" for i in range(18_000)),
    "many long headers": "".join(f"[{'x.' * 18}k{i}]\n" for i in range(18_000)),
    "brackets": 'name = "d"\na = ' + "[" * 200_000,
    "braces": "a = " + "{a=" * 200_000,
    "a number beyond writing": "a = 0x" + "f" * 900_000,
    "many rows": "[[a]]\n" * 100_000,
    "an open string": 'a = "' + '\\"' * 400_000,
    "an open text": 'a = """' + '" ' * 400_000,
    "quotes": '"' * 900_000,
    "apostrophes": "'" * 900_000,
    "one word": "a" * 900_000,
    "blanks": ("a" + " " * 45_000) * 20,
    "too much": "#" * 1_000_001,
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_is_refused_before_it_costs_anything(name: str) -> None:
    """By time, which memory would follow: the dotted key alone took 17.8 GB."""
    began = time.process_time()
    with pytest.raises(TomlError):
        parsed(BOMBS[name])
    assert time.process_time() - began < 5


def test_what_stands_in_strings_and_comments_is_no_key() -> None:
    dots = "x" + "." * 300 + "[[[[" * 30
    for text in (f'a = """\n{dots}"""', f"a = '''{dots}'''", f'a = "{dots}"', f"a = 1 # {dots}"):
        assert parsed(text) == tomllib.loads(text)


WORDS = st.text(alphabet="ab.'\"\\\n#[]{}= é", max_size=12)
VALUES = st.recursive(
    st.integers(-9, 9) | st.booleans() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(WORDS, VALUES, max_size=4), st.booleans())
def test_every_document_that_is_written_is_read(document: dict[str, object], in_lines: bool) -> None:
    text = tomli_w.dumps(document, multiline_strings=in_lines)
    assert parsed(text) == tomllib.loads(text)

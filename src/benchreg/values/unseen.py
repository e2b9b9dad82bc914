"""Patterns of what is unsafe in a text: what nobody sees, and what a page takes for markup.

They are slow to compile, and a text that needs them is rare.
"""

import re

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_CONTROL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"
UNSEEN = re.compile(f"[{_CONTROL}{_INVISIBLE}]")
# A tagg's name is a letter and whatever follows it, such as `<a.b onclick=...>` (HTML 13.2.5.8).
MARKUP = re.compile(r"<(?:/?[A-Za-z][^\s<>/]*(?=[\s/>])|[!?])")

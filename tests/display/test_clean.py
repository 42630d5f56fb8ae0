"""Texts of others do nothing on a terminal."""

from gpocli.display.clean import clean, escaped

EVIL = "a\x1b]0;title\x07b\x1b[2Jc\x9b31md\r\u202ee\u200bf\ufeffg\x00\x7f\u2028h\u0085\ud800"
WRITTEN = r"a\u001b]0;title\u0007b\u001b[2Jc\u009b31md\u000d\u202ee\u200bf\ufeffg\u0000\u007f\u2028h\u0085\ud800"
KEPT = "tab\tline\nénbsp\xa0日本　🙂"


def test_what_acts_is_written_out_and_the_rest_stays():
    assert clean(EVIL) == WRITTEN
    assert clean(KEPT) == KEPT
    assert clean("a\r\nb\rc") == "a\nb\\u000dc"
    assert clean("\U000e0041") == "\\udb40\\udc41"


def test_a_sign_is_written_as_json_has_it():
    assert escaped("é") == "\\u00e9"
    assert escaped("🙂") == "\\ud83d\\ude42"

"""Every module has its tests where they are looked for: those of gpocli/a/b.py are in tests/a/test_b.py."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DECLARATIONS = {
    "settings/guards.py",  # a type alone
    "settings/batch.py",  # fields alone: tests/settings/test_setting.py and tests/spec/test_schema.py walk all of them
}
MODULES = [
    path.relative_to(ROOT / "gpocli")
    for path in sorted((ROOT / "gpocli").rglob("*.py"))
    if path.stem not in ("__init__", "__main__")
]


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_a_module_has_its_tests(module):
    mirror = ROOT / "tests" / module.with_name(f"test_{module.name}")
    if str(module) in DECLARATIONS:
        assert not mirror.exists()
    else:
        assert mirror.is_file(), f"write {mirror.relative_to(ROOT)}"
        assert "\ndef test_" in mirror.read_text(encoding="utf-8")


def test_what_needs_no_tests_is_there():
    assert {str(module) for module in MODULES} >= DECLARATIONS

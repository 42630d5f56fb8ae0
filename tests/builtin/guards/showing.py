"""Shows made-up steps to a guard."""

from gpocli.contracts.options import checked_options


def alarms(extension, steps, **options):
    """The alarm at each step, None where there is none."""
    guard = extension.build(checked_options(extension.options, options, "guard"))
    return [guard.check(figures) for figures in steps]


def first(extension, steps, **options):
    """The number of the first step with an alarm, counted from 1; None where there is none."""
    found = alarms(extension, steps, **options)
    return next((number for number, alarm in enumerate(found, 1) if alarm is not None), None)

"""Many runs from one spec: every combination of some values, each with several seeds."""

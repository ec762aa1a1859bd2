"""Compare verdicts of `broadaxe check` and repairs of `broadaxe fix` with live engines, on random models."""

"""Runs other projects' own tests against the package, says why each failing one fails, and writes docs/peer-suites.md."""

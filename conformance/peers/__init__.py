"""Runs other projects' own tests against the package, says why each failing one fails, and writes docs/reports/peer-suites.md."""

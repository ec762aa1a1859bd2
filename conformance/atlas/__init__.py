"""Runs the Atlas over engines of others, and writes the page of the results."""

"""What installed runtimes compute for drawn nodes, as `check --ask` sees it, and what Broadaxe says of the same nodes."""

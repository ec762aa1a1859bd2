"""What LiteRT does with nodes of one operator, on CPUs and on its GPU delegate, and what Broadaxe says of the same files."""

"""What engines do with a node because of the nodes around it: minimal models, and what became of them."""

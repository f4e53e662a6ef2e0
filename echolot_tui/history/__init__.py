"""Reports over commits become findings: a level that moved, a drift, a branch outside its base."""

"""Other filters and rewards on what a run has recorded, through the contracts of training. Free of torch."""

"""How a run shows where it is: live on a terminal, plain lines elsewhere. Free of torch."""

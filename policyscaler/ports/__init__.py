"""What the product asks of the outside world, as Protocols, and nothing about who answers."""

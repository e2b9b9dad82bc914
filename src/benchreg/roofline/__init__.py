"""What hardware can do for a model: an estimate, and a bound that no true figure beats."""

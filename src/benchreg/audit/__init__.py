"""The audit: rules, the engine that runs them, and what they find."""

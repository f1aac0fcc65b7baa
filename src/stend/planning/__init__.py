"""From a request to a plan: settings, which phases share a state, and a plan in words."""

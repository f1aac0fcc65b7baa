"""Make plans from requests: settings, phases whose state tests share, and the plan in words."""

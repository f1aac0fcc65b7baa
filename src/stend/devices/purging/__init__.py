"""How drives are made as if never written, or given another size: tables that decide, and what does it."""

"""Cases that ends with the power cut."""

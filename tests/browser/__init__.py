"""Reports in a real browser, as readers have them."""

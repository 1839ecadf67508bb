"""Types that users make, their casts, and how definitions name types."""

"""What stands on what: who goes along with a dropped object, and which texts follow one that gets another name."""

"""Publications, subscriptions, and by what subscribers would tell rows apart."""

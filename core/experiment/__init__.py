"""The whole way from table and settings to the result; may import every package of core."""

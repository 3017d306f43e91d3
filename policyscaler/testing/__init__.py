"""Shipped for tests of the product, of providers and of policies; never imported by the product."""

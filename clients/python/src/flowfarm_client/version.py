"""The version of the client, which the package and every request have."""

VERSION = "0.1.0"

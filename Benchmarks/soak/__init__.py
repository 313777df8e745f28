"""A server under everything at once, for any time: does it stay as it was?"""

"""A server under everything at once, for as long as one likes: does it stay what it was?"""

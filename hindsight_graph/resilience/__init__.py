"""What keeps an answer in time when something it needs does not answer: circuit breakers, limits, calls that are given up."""

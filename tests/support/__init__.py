"""What the tests, the demo and the benchmarks stand on: the real Pi, the real Neovim, a scripted model."""

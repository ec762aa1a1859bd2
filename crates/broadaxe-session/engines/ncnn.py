"""ncnn on the CPU, and pnnx, which converts ONNX models for it."""


def start():
    """Import it."""
    import ncnn  # noqa: F401


def version():
    """Return the version."""
    import ncnn

    return ncnn.__version__


def has_layer(name):
    """Say whether it has a layer."""
    import ncnn

    return ncnn.layer_to_index(name) >= 0


def convert(model, options):
    """Return what pnnx writes of an ONNX model: the graph, the weights, and the script that runs them."""
    import subprocess
    import tempfile
    from importlib.util import find_spec
    from pathlib import Path

    # The package alone would import torch, which the program does not need.
    found = find_spec("pnnx")
    if found is None or model.format != "onnx":
        raise Unasked("pnnx is not installed" if found is None else "pnnx is asked about ONNX models only")  # noqa: F821
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.onnx"
        path.write_bytes(model.data)
        program = Path(found.origin).parent / "pnnx"
        done = subprocess.run([program, path, "fp16=0"], cwd=folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL)
        files = [Path(folder) / name for name in ("m.ncnn.param", "m.ncnn.bin", "m_ncnn.py")]
        if not all(file.exists() for file in files):
            raise RuntimeError(f"pnnx ends with {done.returncode}: {done.stderr[-200:].decode(errors='replace')}")
        return [file.read_bytes() for file in files]


def network(param, weights, packing=True, light=True):
    """Load a network from two files, or its layers from one, to compute in f32 on one thread.

    With `packing` it computes in packed layouts, and `light` without keeping results that are not read.
    """
    import ncnn

    net = ncnn.Net()
    net.opt.use_vulkan_compute = net.opt.use_fp16_packed = net.opt.use_fp16_storage = net.opt.use_fp16_arithmetic = False
    net.opt.use_bf16_storage, net.opt.num_threads = False, 1
    net.opt.use_packing_layout, net.opt.lightmode = packing, light
    if net.load_param(str(param)) or weights is not None and net.load_model(str(weights)):
        raise RuntimeError("ncnn does not load the network")
    return net


def network_of(param, weights, **options):
    """Load a network from bytes."""
    import tempfile

    if weights is None:
        raise Unasked("the file of weights is missing")  # noqa: F821

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")  # noqa: F821
        for ending, data in (("param", param), ("bin", weights)):
            with open(f"{path}.{ending}", "wb") as file:
                file.write(data)
        return network(f"{path}.param", f"{path}.bin", **options)


def mat(array, batch=None):
    """Return an array as ncnn has it; `batch` is the axis that it leaves out."""
    import ncnn
    import numpy

    if array.dtype != numpy.float32:
        raise Unasked("ncnn is asked about f32 only")  # noqa: F821
    # It has no tensors of rank 0: a number becomes a list of one.
    array = numpy.ascontiguousarray(array)
    # A Mat around NumPy's memory has a channel step that ncnn misreads, and only borrows it; a copy has its own.
    return (ncnn.Mat(array) if batch is None else ncnn.Mat(array, batch_index=batch)).clone()


def extracted(extractor, name, batch=None):
    """Return the array of a blob; `batch` is the axis that it lacks."""
    import numpy

    code, found = extractor.extract(name)
    if code:
        raise RuntimeError(f"ncnn returns {code}")
    if found.empty():
        # A detector that finds nothing.
        return numpy.zeros(0, numpy.float32)
    return numpy.array(found.numpy() if batch is None else found.numpy(batch_index=batch)).copy()


def load(model, names, outputs, options):
    """Load what pnnx writes of an ONNX model, or ncnn's own files; with the option `script` those that pnnx wrote, of which the script is that."""
    if model.format == "onnx":
        param, weights, script = convert(model, options)
        script = script.decode()
    elif model.format == "ncnn":
        param, weights, script = model.data, model.weights, options.get("script")
    else:
        raise Unasked(f"ncnn is not asked about models in {model.format}")  # noqa: F821
    net = network_of(param, weights)
    if script is not None:
        return lambda feeds: by_script(net, script, [feeds[name] for name in names], outputs)
    return lambda feeds: by_name(net, feeds, outputs)


def by_name(net, feeds, outputs):
    """Return some blobs of a network."""
    with net.create_extractor() as extractor:
        # In light mode, what is read by others is gone, and computed again for every blob that is asked for.
        extractor.set_light_mode(set(outputs) <= set(net.output_names()))
        for name, array in feeds.items():
            extractor.input(name, mat(array))
        return [extracted(extractor, name) for name in outputs]


def by_script(net, script, arrays, outputs):
    """Return the results of a network as the script of pnnx gives them, in whose order inputs and results are."""
    import re

    import numpy

    axis = lambda text: int(text) if text else None  # noqa: E731
    inputs = re.findall(r'ex\.input\("in(\d+)", ncnn\.Mat\(in\d+(?:\.squeeze\((\d+)\))?\.numpy\(\)(?:, batch_index=(\d+))?\)', script)
    results = re.findall(r'ex\.extract\("(out\d+)"\)[\s\S]*?\.numpy\((?:batch_index=(\d+))?\)\)(?:\.unsqueeze\((\d+)\))?', script)
    if outputs and len(outputs) != len(results):
        raise RuntimeError(f"pnnx writes {len(results)} results for {len(outputs)}")
    with net.create_extractor() as extractor:
        for k, squeezed, batch in inputs:
            array = arrays[int(k)]
            extractor.input(f"in{k}", mat(numpy.squeeze(array, int(squeezed)) if squeezed else array, axis(batch)))
        found = [(extracted(extractor, name, axis(batch)), added) for name, batch, added in results]
    return [numpy.expand_dims(array, int(added)) if added else array for array, added in found]

"""OpenCV's module dnn, on the CPU."""

APART = True
# The numbers of fields of ONNX: a model's graph, a graph's outputs, a value's type, a type's tensor, a tensor's element type and its shape.
GRAPH, OUTPUTS, TYPE, TENSOR, ELEMENTS, SHAPE = 7, 12, 2, 1, 1, 2


def start():
    """Import it, without threads: a model runs in a copy of the process, which has none."""
    import cv2

    cv2.setNumThreads(1)
    if not hasattr(cv2, "dnn"):
        raise RuntimeError("this package has no module dnn")


def version():
    """Return the version."""
    import cv2

    return cv2.__version__


def number(data, at):
    """Return a number of a protocol buffer, and the place behind it."""
    value, shift = 0, 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    """Return the fields of a message: the number of each, its bytes where it has a length, else None, and its bytes in the message."""
    found, at = [], 0
    while at < len(data):
        start, (key, at) = at, number(data, at)
        content = None
        if key & 7 == 2:
            length, at = number(data, at)
            content, at = data[at : at + length], at + length
        elif key & 7 == 0:
            _, at = number(data, at)
        else:
            at += {1: 8, 5: 4}[key & 7]
        found.append((key >> 3, content, data[start:at]))
    return found


def written(kind, content):
    """Write a field that has a length."""
    length, rest = bytearray(), len(content)
    while rest > 127:
        length.append(rest & 127 | 128)
        rest >>= 7
    return bytes([kind << 3 | 2, *length, rest]) + content


def changed(data, kind, change, default=None):
    """Return a message with a function applied to its fields of one number; one that has none gets the default first."""
    parts = fields(data)
    if default is not None and not any(one == kind for one, _, _ in parts):
        parts.append((kind, default, b""))
    return b"".join(written(kind, change(content)) if one == kind else whole for one, content, whole in parts)


def with_shapes(data):
    """Return a model in which every output has a shape: OpenCV wants one, and does not read it."""
    tensor = lambda message: changed(message, SHAPE, lambda shape: shape, b"")  # noqa: E731
    kind = lambda message: changed(message, TENSOR, tensor, bytes([ELEMENTS << 3, 1]))  # noqa: E731
    output = lambda message: changed(message, TYPE, kind, b"")  # noqa: E731
    return changed(data, GRAPH, lambda graph: changed(graph, OUTPUTS, output))


def load(model, names, outputs, options):
    """Read a model, with the engine that OpenCV chooses."""
    import cv2
    import numpy

    if model.format != "onnx":
        raise Unasked("OpenCV is asked about ONNX models only")  # noqa: F821
    net = cv2.dnn.readNetFromONNX(numpy.frombuffer(with_shapes(model.data), numpy.uint8))
    net.setPreferableBackend(cv2.dnn.DNN_BACKEND_OPENCV)

    def call(feeds):
        for name in names:
            # A plain array of rank 3 is read as an image with channels by the versions before 4.11.
            net.setInput(cv2.Mat(numpy.array(feeds[name], order="C")), name)
        found = [numpy.array(one) for one in net.forward(list(outputs))] if outputs else [numpy.array(net.forward())]
        if any(one.dtype == object for one in found):
            raise RuntimeError("it gives no result")
        return found

    return call

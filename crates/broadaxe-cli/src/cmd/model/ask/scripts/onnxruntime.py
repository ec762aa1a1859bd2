"""ONNX Runtime on the CPU."""


def start():
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)


def answer(question):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(question.model, options, providers=["CPUExecutionProvider"])
    return session.run(None, question.feeds())[0]

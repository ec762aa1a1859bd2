"""Names the GPU."""


def vulkan_device():
    """Return the name of the only Vulkan device; none if there are several, or Vulkan is not used here."""
    import ctypes

    class Info(ctypes.Structure):
        _fields_ = [
            ("kind", ctypes.c_uint32), ("next", ctypes.c_void_p), ("flags", ctypes.c_uint32), ("application", ctypes.c_void_p),
            ("layer_count", ctypes.c_uint32), ("layers", ctypes.c_void_p), ("extension_count", ctypes.c_uint32),
            ("extensions", ctypes.c_void_p),
        ]  # fmt: skip

    try:
        vulkan = ctypes.CDLL("vulkan-1.dll" if os.name == "nt" else "libvulkan.so.1")  # noqa: F821
    except OSError:
        return None
    info, instance = Info(kind=1), ctypes.c_void_p()
    if vulkan.vkCreateInstance(ctypes.byref(info), None, ctypes.byref(instance)) != 0:
        return None
    try:
        count, devices = ctypes.c_uint32(2), (ctypes.c_void_p * 2)()
        vulkan.vkEnumeratePhysicalDevices(instance, ctypes.byref(count), devices)
        if count.value != 1:
            return None
        # The name follows five numbers of four bytes.
        properties = ctypes.create_string_buffer(4096)
        vulkan.vkGetPhysicalDeviceProperties(ctypes.c_void_p(devices[0]), properties)
        return properties.raw[20:276].split(b"\0")[0].decode(errors="replace")
    finally:
        vulkan.vkDestroyInstance(instance, None)

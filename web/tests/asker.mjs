/** Returns a function that sends requests to a module. Tests also run its source in a browser, so it uses nothing from outside. */
export function asker(exports) {
  return (text) => {
    const request = new TextEncoder().encode(text);
    const at = exports.reserve(request.length) >>> 0;
    new Uint8Array(exports.memory.buffer, at, request.length).set(request);
    const answer = exports.call(at, request.length) >>> 0;
    const len = new DataView(exports.memory.buffer).getUint32(answer, true);
    const json = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, answer + 4, len));
    exports.release(answer);
    return JSON.parse(json);
  };
}

// Runs the worker of the search in a frame, when a page is opened from a disk.
//
// A browser does not start a worker from a file: address. A frame may load the same script. This has what the search of the theme
// uses of a worker: postMessage, and the events `message` and `error`. Without this file the theme loads one from another host.
(() => {
  if (location.protocol !== "file:") return;

  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      this.inner = frame.contentWindow;
      const inner = this.inner;
      inner.postMessage = (data) => this.send("message", { data });
      inner.addEventListener("error", ({ message }) => this.send("error", { data: message }));
      inner.importScripts = (...urls) =>
        urls.reduce((before, next) => before.then(() => this.load(next)), Promise.resolve());
      this.ready = this.load(url);
    }

    load(url) {
      return new Promise((resolve, reject) => {
        const script = this.inner.document.createElement("script");
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        this.inner.document.body.append(script);
      });
    }

    send(type, init) {
      this.dispatchEvent(new MessageEvent(type, init));
    }

    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data: structuredClone(data) })));
    }
  };
})();

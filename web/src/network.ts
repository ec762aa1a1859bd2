/** Keeps the page from connecting, and counts requests. */

/** The model to open by link: the query `?url=`. */
export function linkedModel(): string | null {
  return new URLSearchParams(location.search).get('url');
}

/**
 * Forbids every connection from now on. The policy in the document allows `https:` for models that are opened by link; policies can only
 * become stricter, so this cannot be undone until the page is loaded again.
 */
export function forbid(): void {
  if (document.getElementById('no-connections')) return;
  const meta = document.createElement('meta');
  meta.id = 'no-connections';
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = "connect-src 'none'";
  document.head.append(meta);
}

/** Called once, first of all: without a model to fetch, nothing is ever fetched. */
export function lockDown(): void {
  if (linkedModel() === null) forbid();
}

let seen = 0;
let hear: () => void = () => {};
performance.setResourceTimingBufferSize?.(2000);
new PerformanceObserver((list) => {
  seen += list.getEntries().filter((entry) => /^https?:/.test(entry.name)).length;
  hear();
}).observe({ type: 'resource', buffered: true });

/** Requests to the network since the page loaded, from this thread. */
export function requests(): number {
  return seen;
}

export function onRequest(listener: () => void): void {
  hear = listener;
}

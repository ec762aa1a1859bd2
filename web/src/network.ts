/** Keeps the page from connecting, counts requests, and downloads models that are opened by link. */

import { count, size } from './dom.ts';

/** The models to open by link: the queries `?url=`. */
export function linkedModels(): string[] {
  return new URLSearchParams(location.search).getAll('url').filter((one) => one.trim() !== '');
}

let forbidden = false;

/**
 * Forbids every connection from now on. The policy in the document allows connections for models that are opened by link; policies can
 * only become stricter, so this cannot be undone until the page is loaded again.
 */
export function forbid(): void {
  if (forbidden) return;
  forbidden = true;
  const meta = document.createElement('meta');
  meta.httpEquiv = 'Content-Security-Policy';
  meta.content = "connect-src 'none'";
  document.head.append(meta);
}

/** Called once, first of all: without a model to download, the page never connects. */
export function lockDown(): void {
  if (linkedModels().length === 0) forbid();
}

let seen = 0;
let hear: () => void = () => {};
performance.setResourceTimingBufferSize?.(2000);
new PerformanceObserver((list) => {
  seen += list.getEntries().filter((entry) => /^https?:/.test(entry.name)).length;
  hear();
}).observe({ type: 'resource', buffered: true });

export function onRequest(listener: () => void): void {
  hear = listener;
}

/** What the browser counted. The argument is the count of the worker. */
export function networkSentence(worker: number): string {
  const all = seen + worker;
  const policy = forbidden ? ' The policy of this page forbids connections.' : '';
  const downloads = linkedModels().length;
  if (downloads > 0) return `${count(all, 'request')} since the page loaded, to download the model.${policy}`;
  return `${count(all, 'request')} since the page loaded.${policy}`;
}

/** The address of the file behind the page of a file. */
export function direct(link: string): string {
  const github = /^https:\/\/github\.com\/([^/]+)\/([^/]+)\/(?:blob|raw)\/(.+)$/.exec(link);
  if (github) return `https://raw.githubusercontent.com/${github[1]}/${github[2]}/${github[3]}`;
  return link;
}

/** Downloads a model. */
export async function fetchModel(link: string, say: (text: string) => void): Promise<File> {
  let url: URL;
  try {
    url = new URL(direct(link.trim()), location.href);
  } catch {
    throw new Error('The link is not an address.');
  }
  if (url.protocol !== 'https:' && url.origin !== location.origin) throw new Error('Only links that begin with https:// can be opened.');
  say(`Downloading from ${url.host} …`);
  let response: Response;
  try {
    response = await fetch(url, { credentials: 'omit', referrerPolicy: 'no-referrer', mode: 'cors' });
  } catch {
    throw new Error(`${url.host} cannot be reached, or does not allow other pages to read its files (CORS). Download the file and drop it here.`);
  }
  if (!response.ok || !response.body) throw new Error(`${url.host} answered ${response.status} ${response.statusText}.`);
  const total = Number(response.headers.get('content-length') ?? 0);
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let got = 0;
  let said = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    pieces.push(value as Uint8Array<ArrayBuffer>);
    got += value.length;
    const now = performance.now();
    if (now - said > 200) {
      said = now;
      say(`Downloading from ${url.host}: ${size(got)}${total > got ? ` of ${size(total)}` : ''} …`);
    }
  }
  const name = decodeURIComponent(url.pathname.split('/').at(-1) || 'model');
  return new File(pieces, name);
}

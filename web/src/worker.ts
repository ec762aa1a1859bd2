/** The worker: answers requests about files, which it reads in pieces. Weights are never read. */

import { Engine, type Request } from './protocol.ts';

export type ToWorker = { kind: 'start'; bytes: ArrayBuffer } | { kind: 'files'; files: File[] } | { kind: 'ask'; id: number; request: object };

interface Counts {
  /** Bytes of files that were read. */
  read: number;
  /** Requests to the network from this worker. */
  requests: number;
}
export type FromWorker = Counts & ({ kind: 'progress' } | { kind: 'answer'; id: number; answer: unknown } | { kind: 'trap'; text: string });

declare const self: {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
};
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}

/** Progress is reported at most as often as this. */
const EVERY_MS = 100;

let engine: Engine | null = null;
let files: File[] = [];
let read = 0;
let reported = 0;

function counts(): Counts {
  return { read, requests: performance.getEntriesByType('resource').filter((one) => /^https?:/.test(one.name)).length };
}

function readFile(file: number, at: number, to: Uint8Array): number {
  const from = files[file];
  if (!from || at < 0 || at + to.length > from.size) return 1;
  try {
    to.set(new Uint8Array(new FileReaderSync().readAsArrayBuffer(from.slice(at, at + to.length))));
  } catch {
    return 2;
  }
  read += to.length;
  const now = performance.now();
  if (now - reported > EVERY_MS) {
    reported = now;
    self.postMessage({ kind: 'progress', ...counts() });
  }
  return 0;
}

self.onmessage = (event) => {
  const message = event.data;
  try {
    if (message.kind === 'start') engine = new Engine(message.bytes, readFile);
    else if (message.kind === 'files') {
      files = message.files;
      read = 0;
    } else if (engine) self.postMessage({ kind: 'answer', id: message.id, answer: engine.ask(message.request as Request), ...counts() });
  } catch (error) {
    self.postMessage({ kind: 'trap', text: error instanceof Error ? error.message : String(error), ...counts() });
  }
};

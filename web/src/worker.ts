/** The worker: answers requests about files, which it reads in pieces. Weights are never read. */

import { Engine, type Request } from './protocol.ts';

export type ToWorker = { kind: 'start'; bytes: ArrayBuffer } | { kind: 'files'; files: File[] } | { kind: 'ask'; id: number; request: object };

interface Counts {
  /** Bytes of files that were read; bytes that were read twice count once. */
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
/** The parts of each file that were read: ends by starts, in order and apart from each other. */
let parts: [number, number][][] = [];
let reported = 0;

function counts(): Counts {
  const read = parts.flat().reduce((sum, [start, end]) => sum + end - start, 0);
  return { read, requests: performance.getEntriesByType('resource').filter((one) => /^https?:/.test(one.name)).length };
}

/** Adds a part that was read, and joins it with those that it touches. */
function note(file: number, start: number, end: number): void {
  const known = (parts[file] ??= []);
  let first = 0;
  let last = known.length;
  while (first < last) {
    const middle = (first + last) >> 1;
    if ((known[middle] as [number, number])[1] < start) first = middle + 1;
    else last = middle;
  }
  let past = first;
  for (let one = known[past]; one !== undefined && one[0] <= end; one = known[past]) {
    start = Math.min(start, one[0]);
    end = Math.max(end, one[1]);
    past += 1;
  }
  known.splice(first, past - first, [start, end]);
}

function readFile(file: number, at: number, to: Uint8Array): number {
  const from = files[file];
  if (!from || at < 0 || at + to.length > from.size) return 1;
  try {
    to.set(new Uint8Array(new FileReaderSync().readAsArrayBuffer(from.slice(at, at + to.length))));
  } catch {
    return 2;
  }
  note(file, at, at + to.length);
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
      parts = [];
    } else if (engine) self.postMessage({ kind: 'answer', id: message.id, answer: engine.ask(message.request as Request), ...counts() });
  } catch (error) {
    self.postMessage({ kind: 'trap', text: error instanceof Error ? error.message : String(error), ...counts() });
  }
};

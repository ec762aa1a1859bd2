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

/** The module asks for many small pieces near each other, and every call of the browser costs a tenth of a millisecond and more. */
const BLOCK_BYTES = 64 * 1024;
const MOST_BLOCKS = 64;
/** Blocks that were read last, by file and number; the oldest first. */
const blocks = new Map<string, Uint8Array>();

function readDirectly(file: number, start: number, end: number): Uint8Array {
  const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer((files[file] as File).slice(start, end)));
  note(file, start, end);
  return bytes;
}

function block(file: number, number: number): Uint8Array {
  const key = `${file} ${number}`;
  const known = blocks.get(key);
  if (known) return known;
  const start = number * BLOCK_BYTES;
  const bytes = readDirectly(file, start, Math.min(start + BLOCK_BYTES, (files[file] as File).size));
  if (blocks.size >= MOST_BLOCKS) blocks.delete(blocks.keys().next().value as string);
  blocks.set(key, bytes);
  return bytes;
}

function readFile(file: number, at: number, to: Uint8Array): number {
  const from = files[file];
  if (!from || at < 0 || at + to.length > from.size) return 1;
  try {
    if (to.length >= BLOCK_BYTES) to.set(readDirectly(file, at, at + to.length));
    else {
      for (let done = 0; done < to.length; ) {
        const number = Math.floor((at + done) / BLOCK_BYTES);
        const bytes = block(file, number);
        const piece = bytes.subarray(at + done - number * BLOCK_BYTES, at - number * BLOCK_BYTES + to.length);
        to.set(piece, done);
        done += piece.length;
      }
    }
  } catch {
    return 2;
  }
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
      blocks.clear();
      parts = [];
    } else if (engine) self.postMessage({ kind: 'answer', id: message.id, answer: engine.ask(message.request as Request), ...counts() });
  } catch (error) {
    self.postMessage({ kind: 'trap', text: error instanceof Error ? error.message : String(error), ...counts() });
  }
};

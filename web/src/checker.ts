/** Runs the check module in a worker, and ends the worker if it crashes or does not answer. */

import { bytesOf, inflated } from './protocol.ts';
import type { FromWorker, ToWorker } from './worker.ts';

/** The worker's program, which the build puts here. */
declare const WORKER: string;
/** Whether the page has the check module. */
declare const HAS_CHECK: boolean;

/** A worker that sends nothing for so long is ended. Fixing computes both models, which may take longer. */
const PATIENCE_MS = 30_000;
const FIX_PATIENCE_MS = 120_000;

/** The module is at the end of the document, so that the first answer does not wait for it. */
function parsed(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((resolve) => document.addEventListener('DOMContentLoaded', () => resolve(), { once: true }));
}

export function hasCheck(): boolean {
  return HAS_CHECK;
}

interface Waiting {
  patience: number;
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
}

class Checker {
  /** The bytes of files that the worker has read, and its network requests. */
  read = 0;
  requests = 0;
  onread: () => void = () => {};
  private worker: Worker | null = null;
  private module: Promise<ArrayBuffer> | null = null;
  private waiting = new Map<number, Waiting>();
  private next = 1;
  private watch: ReturnType<typeof setTimeout> | undefined;
  private files: File[] = [];

  /** Gives the worker files to read. A new worker gets them again. */
  open(files: File[]): void {
    this.files = files;
    this.read = 0;
    if (this.worker) this.post({ kind: 'files', files });
  }

  /** Ends the worker. The next request starts another. */
  stop(reason: string): void {
    this.worker?.terminate();
    this.worker = null;
    clearTimeout(this.watch);
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) one.reject(new Error(reason));
  }

  async ask<T>(request: object): Promise<T> {
    const worker = await this.start();
    const id = this.next;
    this.next += 1;
    return await new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { patience: 'do' in request && request.do === 'fix' ? FIX_PATIENCE_MS : PATIENCE_MS, resolve: resolve as (answer: never) => void, reject });
      worker.postMessage({ kind: 'ask', id, request } satisfies ToWorker);
      this.wait();
    });
  }

  private post(message: ToWorker): void {
    this.worker?.postMessage(message);
  }

  private wait(): void {
    clearTimeout(this.watch);
    if (this.waiting.size === 0) return;
    const patience = Math.max(...[...this.waiting.values()].map((one) => one.patience));
    this.watch = setTimeout(() => this.stop(`The check did not answer for ${patience / 1000} seconds and was stopped. Please report the model, or its structure, as a bug.`), patience);
  }

  /** The module's bytes, unpacked once. */
  private bytes(): Promise<ArrayBuffer> {
    this.module ??= parsed().then(() => inflated(bytesOf(document.getElementById('check-wasm')?.textContent ?? '')));
    return this.module;
  }

  private async start(): Promise<Worker> {
    const bytes = await this.bytes();
    if (this.worker) return this.worker;
    const url = URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' }));
    const worker = new Worker(url);
    worker.onmessage = (event: MessageEvent<FromWorker>) => {
      if (this.worker !== worker) return;
      this.hear(event.data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      if (this.worker === worker) this.stop(`The check crashed and was stopped (${event.message || 'no message'}). Please report the model, or its structure, as a bug.`);
    };
    this.worker = worker;
    worker.postMessage({ kind: 'start', bytes } satisfies ToWorker);
    if (this.files.length > 0) worker.postMessage({ kind: 'files', files: this.files } satisfies ToWorker);
    URL.revokeObjectURL(url);
    return worker;
  }

  private hear(message: FromWorker): void {
    this.read = message.read;
    this.requests = message.requests;
    this.onread();
    if (message.kind === 'answer') {
      this.waiting.get(message.id)?.resolve(message.answer as never);
      this.waiting.delete(message.id);
    } else if (message.kind === 'trap') {
      this.stop(`The check crashed and was stopped (${message.text}). Please report the model, or its structure, as a bug.`);
      return;
    }
    this.wait();
  }
}

export const checker = new Checker();

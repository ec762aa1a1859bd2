/**
 * The requests and answers of the WebAssembly modules, and how to call them.
 *
 * A module exports its memory and three functions: `reserve(len)` returns memory for a request, `call(ptr, len)` reads a request (a
 * word and what it is about: an address, or JSON), frees it, and returns an answer (its length in four bytes, the lowest first, then JSON), and `release(ptr)` frees an answer.
 */

export type * from './types.ts';

/** What a module exports. */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(len: number): number;
  call(at: number, len: number): number;
  release(at: number): void;
}

/** Reads bytes of a file into memory; returns 0, or another number on errors. */
export type Read = (file: number, at: number, to: Uint8Array) => number;

/** A request: a word, and what it is about. */
export interface Request {
  do: string;
  address?: string;
  [name: string]: unknown;
}

/** A module that answers requests. */
export class Engine {
  private readonly exports: Exports;

  /** Compiles and starts a module at once. The bytes must be a module of Broadaxe. */
  constructor(bytes: BufferSource, read?: Read) {
    const imports: WebAssembly.Imports = {
      env: {
        read: (file: number, at: number, to: number, len: number): number =>
          read ? read(file >>> 0, at, new Uint8Array(this.exports.memory.buffer, to >>> 0, len >>> 0)) : 1,
      },
    };
    const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), imports);
    this.exports = instance.exports as unknown as Exports;
  }

  /** Answers a request. */
  ask<T>(request: Request): T {
    const { memory, reserve, call, release } = this.exports;
    const { do: word, address, ...about } = request;
    const bytes = new TextEncoder().encode(`${word} ${address ?? JSON.stringify(about)}`);
    const at = reserve(bytes.length) >>> 0;
    new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
    const answer = call(at, bytes.length) >>> 0;
    const len = new DataView(memory.buffer).getUint32(answer, true);
    const text = new TextDecoder().decode(new Uint8Array(memory.buffer, answer + 4, len));
    release(answer);
    return JSON.parse(text) as T;
  }
}

/** Decodes base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
  return bytes;
}

/** Unpacks bytes that were compressed with deflate (zlib). */
export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return await new Response(stream).arrayBuffer();
}

/**
 * The requests and answers of the WebAssembly modules, and how to call them.
 *
 * A module exports its memory and three functions: `reserve(len)` returns memory for a request, `call(ptr, len)` reads a request (JSON in
 * UTF-8), frees it, and returns an answer (its length in four bytes, the lowest first, then JSON), and `release(ptr)` frees an answer.
 */

/** A drawing in the forms in which it can be shown and copied. */
export interface Drawing {
  /** A complete SVG image. All text in it is escaped. */
  svg: string;
  /** The drawing as plain text. */
  text: string;
  /** The drawing in words, for people who do not see it. */
  alternative: string;
  /** The drawing as a Markdown table. */
  markdown: string;
}

/** A rule, as an answer names it. */
export interface RuleUse {
  /** The rule with its parameters: `pdpd axis=-1`. */
  rule: string;
  /** The rule without its parameters: `pdpd`. */
  name: string;
  summary: string;
  source: string;
  /** Conditions on symbolic dims under which the rule accepts the shapes. */
  guards?: string[];
}

/** Rules that accept the shapes and read the same elements. */
export interface Meaning {
  number: number;
  rules: RuleUse[];
  /** The shape of the result: `(2, 3, 4)`. */
  result: string;
  drawing: Drawing;
}

/** A rule that rejects the shapes. */
export interface Reject extends RuleUse {
  reason: string;
  message: string;
  drawing: Drawing | null;
  /** The rule can only decide when the dims are known. */
  is_undecided: boolean;
}

export interface Side {
  rule: string;
  /** `a(1,) + b(0, 1) = 1 + 1 = 2`. */
  sentence: string;
}

/** An element on which two rules differ. */
export interface Difference {
  title: string;
  element: number[];
  left: Side;
  right: Side;
  drawing: Drawing;
}

/** Which elements of the operands feed each element of the result, all in row-major order. */
export interface Elements {
  shape: number[];
  operands: number[][];
  sources: number[][];
}

/** A rule's entry in the record of `broadaxe compare --json`. */
export interface Compared {
  rule: string;
  meaning?: number;
  shape?: (number | string)[] | null;
  strides?: (number[] | null)[] | null;
  periods?: (number[] | null)[] | null;
  error?: { kind: string; message: string };
}

export interface Answer {
  address?: string;
  error?: string;
  shapes: string[];
  compare: { shapes: (number | string)[][]; rules: Compared[] };
  sentence: string;
  /** Some dims are symbolic. */
  is_open: boolean;
  meanings: Meaning[];
  rejects: Reject[];
  differences: Difference[];
  chosen: {
    rule: string;
    is_default: boolean;
    drawing: Drawing | null;
    error?: string;
    elements?: Elements | null;
  };
  copy: { markdown: string; command?: string; pytest?: string; rust?: string; cpp?: string };
}

/** A rule with its parameters. */
export interface Rule {
  name: string;
  aliases: string[];
  summary: string;
  source: string;
  /** The least and the largest number of operands. */
  operands: [number, number];
  /** `null` without the parameter; `''` if it has no default. */
  axis: null | '' | number;
  modes: string[];
  target: boolean;
  axes: boolean;
}

export interface Target {
  name: string;
  aliases: string[];
  versions: string[];
  summary: string;
}

export interface Opened {
  format: string;
  opset: number | null;
  nodes: number;
  name: string;
  files_wanted: string[];
  error?: string;
}

export interface Row {
  name: string;
  shape: string;
  origin: string;
  label?: string | null;
}

export type Severity = 'error' | 'warning' | 'note' | 'info';

export interface Group {
  severity: Severity;
  code: string;
  name: string;
  title: string;
  why: string;
  /** Positions in the record's list of findings. */
  members: number[];
  also: string[];
  rows: Row[];
  notes: [string, string][];
  fix: string | null;
  drawing: Drawing | null;
}

export interface Finding {
  node: string;
  op: string;
  place: string;
  number: number;
  target: string;
  verdict: string;
  code: string | null;
  reason: string;
}

export interface Checked {
  error?: string;
  record: { findings: Finding[]; targets: ({ name: string } & Record<string, number | string>)[] };
  grouped: {
    head: { nodes: string; targets: { name: string; counts: string }[] };
    groups: Group[];
    hidden: string | null;
    fixable: string | null;
  };
}

export interface FindingDetail {
  error?: string;
  rows: Row[];
  notes: [string, string][];
  drawing: Drawing | null;
}

export interface ModelNode {
  number: number;
  name: string;
  op: string;
  shapes: string;
  result: string;
  judged: boolean;
}

export type Piece = { kept: { file: number; at: number; len: number } } | { new: string };

export interface Fixed {
  error?: string;
  name: string;
  summary: string[];
  left: string[];
  files: { name: string; pieces: Piece[] }[];
}

export interface Extracted {
  error?: string;
  name: string;
  bytes: string;
}

export interface Runtimes {
  error?: string;
  rows: { target: string; version: string | null; verdict: string; reason: string; evidence: string; source: string }[];
}

/** What a module exports. */
interface Exports {
  memory: WebAssembly.Memory;
  reserve(len: number): number;
  call(at: number, len: number): number;
  release(at: number): void;
}

/** Reads bytes of a file into memory; returns 0, or another number on errors. */
export type Read = (file: number, at: number, to: Uint8Array) => number;

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
  ask<T>(request: object): T {
    const { memory, reserve, call, release } = this.exports;
    const bytes = new TextEncoder().encode(JSON.stringify(request));
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

import { Engine, bytesOf } from './protocol.ts';
import type { Answer, Checked, Extracted, FindingDetail, Fixed, ModelNode, Opened, Rule, Runtimes, Target } from './types.ts';

/** A file of a model: its bytes, or a function that reads pieces of it. */
export type ModelFile =
  | { name: string; bytes: Uint8Array }
  | {
      name: string;
      size: number;
      /** Copies the bytes from position `at` on into `to`. */
      read: (at: number, to: Uint8Array) => void;
    };

/** A file that `fix` or `extract` made. */
export interface MadeFile {
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
}

async function load(name: string): Promise<BufferSource> {
  const url = new URL(name, import.meta.url);
  if (url.protocol === 'file:') {
    // @ts-ignore: the types of Node are not installed, and bundlers for browsers must not follow this.
    const { readFile } = (await import(/* webpackIgnore: true */ /* @vite-ignore */ 'node:fs/promises')) as { readFile: (url: URL) => Promise<BufferSource> };
    return await readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.href}: ${response.status}`);
  return await response.arrayBuffer();
}

let loadedRules: Promise<Engine> | undefined;
function rulesEngine(): Promise<Engine> {
  loadedRules ??= load('./rules.wasm').then((bytes) => new Engine(bytes));
  return loadedRules;
}

function good<T extends { error?: string }>(answer: T): T {
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer;
}

/**
 * Says what shapes mean under every rule.
 *
 * @param address Shapes and a rule as in the address of the page: `2,3,4+3,1` or `n,4+3,4&rule=pdpd&axis=1`.
 * @throws If the address cannot be read.
 * @example
 * const answer = await ask('2,2+2');
 * console.log(answer.meanings.map((meaning) => meaning.rules.map((use) => use.rule)));
 */
export async function ask(address: string): Promise<Answer> {
  return good((await rulesEngine()).ask<Answer>({ do: 'ask', address }));
}

/** Lists the rules, with their parameters and sources. */
export async function rules(): Promise<Rule[]> {
  return (await rulesEngine()).ask<Rule[]>({ do: 'rules' });
}

let checkBytes: Promise<BufferSource> | undefined;
function checkModule(): Promise<BufferSource> {
  checkBytes ??= load('./check.wasm');
  return checkBytes;
}

/** Lists the runtimes that models can be checked for. */
export async function targets(): Promise<Target[]> {
  return new Engine(await checkModule()).ask<Target[]>({ do: 'targets' });
}

/**
 * Says what each runtime does with an ONNX `Add` of these shapes.
 *
 * @param shapes Two shapes: `['2,3,4', '3,1']`.
 * @param constants Which of the operands are constants of the model.
 */
export async function runtimes(shapes: string[], constants: boolean[] = [false, true]): Promise<Runtimes> {
  return good(new Engine(await checkModule()).ask<Runtimes>({ do: 'runtimes', shapes, constants }));
}

/** A model that was opened with `open`. */
export class Model {
  /** What was read of the model. */
  readonly info: Opened;
  private constructor(private readonly engine: Engine, private readonly files: ModelFile[], info: Opened) {
    this.info = info;
  }

  /** Opens a model. The first file is the model, the others are its files of weights. Use the function `open`. */
  static async open(files: ModelFile[]): Promise<Model> {
    const engine = new Engine(await checkModule(), (file, at, to) => {
      const from = files[file];
      if (!from) return 1;
      if ('bytes' in from) {
        if (at + to.length > from.bytes.length) return 1;
        to.set(from.bytes.subarray(at, at + to.length));
      } else {
        if (at + to.length > from.size) return 1;
        from.read(at, to);
      }
      return 0;
    });
    const sizes = files.map((file) => ({ name: file.name, size: 'bytes' in file ? file.bytes.length : file.size }));
    return new Model(engine, files, good(engine.ask<Opened>({ do: 'open', files: sizes, main: 0 })));
  }

  /** Checks the broadcasting nodes for runtimes: `['ncnn', 'openvino']`. */
  check(names: string[]): Checked {
    return good(this.engine.ask<Checked>({ do: 'check', targets: names }));
  }

  /** Tells one finding of the last check in full. */
  finding(index: number): FindingDetail {
    return good(this.engine.ask<FindingDetail>({ do: 'finding', index }));
  }

  /** Lists the broadcasting nodes. */
  nodes(): ModelNode[] {
    return this.engine.ask<ModelNode[]>({ do: 'nodes' });
  }

  /** Changes the model so that it means the same on the runtimes of the last check. */
  fix(): { name: string; summary: string[]; left: string[]; files: MadeFile[] } {
    const fixed = good(this.engine.ask<Fixed>({ do: 'fix' }));
    return { name: fixed.name, summary: fixed.summary, left: fixed.left, files: fixed.files.map((file) => ({ name: file.name, bytes: this.joined(file.pieces) })) };
  }

  /** Makes a model of one node. */
  extract(number: number): MadeFile {
    const made = good(this.engine.ask<Extracted>({ do: 'extract', number }));
    return { name: made.name, bytes: bytesOf(made.bytes) };
  }

  private joined(pieces: Fixed['files'][number]['pieces']): Uint8Array<ArrayBuffer> {
    const parts = pieces.map((piece) => {
      if ('new' in piece) return bytesOf(piece.new);
      const { file, at, len } = piece.kept;
      const from = this.files[file];
      if (!from) throw new Error(`no file ${file}`);
      if ('bytes' in from) return from.bytes.subarray(at, at + len);
      const bytes = new Uint8Array(len);
      from.read(at, bytes);
      return bytes;
    });
    const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    return all;
  }
}

/**
 * Opens a model.
 *
 * @param files The model first, then its files of weights, if there are any.
 * @throws If the first file is not a model that Broadaxe can read.
 */
export async function open(files: ModelFile[]): Promise<Model> {
  return await Model.open(files);
}

/**
 * Checks a model for runtimes, in one call.
 *
 * @example
 * import { readFile } from 'node:fs/promises';
 * const result = await check([{ name: 'face.onnx', bytes: await readFile('face.onnx') }], ['ncnn']);
 * for (const group of result.grouped.groups) console.log(group.code, group.title, group.why);
 */
export async function check(files: ModelFile[], names: string[]): Promise<Checked> {
  return (await open(files)).check(names);
}

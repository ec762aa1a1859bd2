// Builds the page, the custom element and the npm package:
//
//   node build.mjs --rules rules.wasm [--check check.wasm] --out DIR [--version TEXT]
//
// The same inputs give the same bytes.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: { rules: { type: 'string' }, check: { type: 'string' }, out: { type: 'string' }, version: { type: 'string', default: '0.0.0' }, worker: { type: 'string' } },
});
if (!options.rules || !options.out) {
  console.error('usage: node build.mjs --rules rules.wasm [--check check.wasm] --out DIR [--version TEXT]');
  process.exit(2);
}
const source = (name) => path.join(here, 'src', name);
const text = (name) => fs.readFileSync(source(name), 'utf8');
const rules = fs.readFileSync(options.rules);
const check = options.check ? fs.readFileSync(options.check) : null;

/** Bundles a program into one text. */
async function bundle(entry, format, define = {}) {
  const built = await esbuild.build({
    entryPoints: [source(entry)],
    bundle: true,
    minify: true,
    format,
    target: ['es2022'],
    charset: 'ascii',
    legalComments: 'none',
    write: false,
    external: ['node:fs/promises'],
    define,
    absWorkingDir: here,
  });
  return built.outputFiles[0].text.trim();
}

/** Text for the inside of a script element. */
const inScript = (code) => code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
const base64 = (bytes) => Buffer.from(bytes).toString('base64');
/** The header of a zlib stream depends on the level only, so this is deterministic for one version of zlib. */
const deflated = (bytes) => zlib.deflateSync(bytes, { level: 9 });

// `--worker FILE` replaces the worker, for tests of the page that need no module.
const worker = options.worker ? fs.readFileSync(options.worker, 'utf8') : await bundle('worker.ts', 'iife');
const examples = Object.fromEntries(
  ['face.onnx', 'position.tflite'].map((name) => [name, base64(fs.readFileSync(path.join(here, '..', 'examples', name)))]),
);
const script = inScript(
  await bundle('main.ts', 'iife', { WORKER: JSON.stringify(worker), VERSION: JSON.stringify(options.version), HAS_CHECK: String(check !== null), EXAMPLES: JSON.stringify(examples) }),
);
const style = (await esbuild.transform(text('page.css'), { loader: 'css', minify: true })).code.trim();

// Scripts are allowed by their hash, so that no other script can run even if the page had a hole. `wasm-unsafe-eval` allows WebAssembly
// and no eval. Images of the drawings have style elements, which a hash cannot name. `connect-src` is for `?url=` only: without it,
// and after the download with it, the page adds a policy that forbids every connection (network.ts).
const hash = createHash('sha256').update(script).digest('base64');
const policy = [
  "default-src 'none'",
  `script-src 'sha256-${hash}' 'wasm-unsafe-eval'`,
  "style-src 'unsafe-inline'",
  'img-src data:',
  'worker-src blob:',
  "connect-src 'self' https:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const parts = {
  CSP: policy,
  STYLE: style,
  RULES: base64(rules),
  CHECK: check ? `<script type="application/wasm" id="check-wasm">${base64(deflated(check))}</script>\n` : '',
  SCRIPT: script,
};
const page = text('page.html').replace(/@([A-Z]+)@/g, (whole, name) => parts[name] ?? whole);

fs.mkdirSync(options.out, { recursive: true });
const write = (name, content) => {
  const file = path.join(options.out, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, content);
  const bytes = fs.statSync(file).size;
  console.log(`${name.padEnd(24)} ${String(bytes).padStart(9)} bytes`);
};
write('page.html', page);

const element = await bundle('element.ts', 'esm', { RULES: JSON.stringify(base64(rules)) });
write('broadaxe-shapes.js', `/*! Broadaxe ${options.version}; MIT OR Apache-2.0 */\n${element}\n`);

// The npm package. Its types are the compiler's declarations of the answers and of the functions, in one file.
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'broadaxe-types-'));
const tsc = path.join(here, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', here, '--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--rootDir', path.join(here, 'src'), '--outDir', scratch], { stdio: 'inherit' });
const declared = (name) => fs.readFileSync(path.join(scratch, name), 'utf8').replace(/^import .*\n/gm, '').replace(/^export \{\};\n/gm, '').replace(/^\/\/# .*\n?/gm, '').trim();
const types = `${declared('types.d.ts')}\n\n${declared('npm.d.ts')}\n`;
fs.rmSync(scratch, { recursive: true });
const modules = ['rules.wasm', ...(check ? ['check.wasm'] : [])];
const licences = ['LICENSE-MIT', 'LICENSE-APACHE'];
const manifest = {
  name: 'broadaxe',
  version: /^\d+\.\d+\.\d+/.exec(options.version)?.[0] ?? '0.0.0',
  description: 'The broadcasting rules of machine-learning frameworks, and checks of model files',
  keywords: ['broadcasting', 'numpy', 'onnx', 'openvino', 'ncnn', 'paddle', 'litert', 'wasm'],
  license: 'MIT OR Apache-2.0',
  repository: { type: 'git', url: 'git+https://github.com/broadaxe/broadaxe.git', directory: 'web' },
  type: 'module',
  main: './index.js',
  types: './index.d.ts',
  exports: { '.': { types: './index.d.ts', default: './index.js' }, ...Object.fromEntries(modules.map((name) => [`./${name}`, `./${name}`])) },
  files: ['index.js', 'index.d.ts', ...modules, 'README.md', ...licences],
  sideEffects: false,
  engines: { node: '>=20' },
};
write('npm/package.json', `${JSON.stringify(manifest, null, 2)}\n`);
write('npm/index.js', `${await bundle('npm.ts', 'esm')}\n`);
write('npm/index.d.ts', types);
write('npm/README.md', text('npm.md'));
for (const name of licences) write(`npm/${name}`, fs.readFileSync(path.join(here, '..', name)));
write('npm/rules.wasm', rules);
if (check) write('npm/check.wasm', check);

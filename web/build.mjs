// Builds the page, the custom element and the npm package:
//
//   node build.mjs --rules rules.wasm [--check check.wasm] --out DIR [--version TEXT]
//
// The same inputs give the same bytes.

import { createHash } from 'node:crypto';
import fs from 'node:fs';
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
  await bundle('main.ts', 'iife', { WORKER: JSON.stringify(worker), VERSION: JSON.stringify(options.version), EXAMPLES: JSON.stringify(examples) }),
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

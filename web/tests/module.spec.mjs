// Compares the page and its modules with the command, in a browser:
//
//   PAGE=page.html BROADAXE=broadaxe node --test tests/module.spec.mjs
//
// The browser is Chromium; firefox.spec.mjs tests another. GRAPHS names folders with models that are checked in the page,
// CASES a file of lines that `cargo run -p broadaxe-testing --example cases` prints, and GOLDEN a module with the feature `golden`.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { asker } from './asker.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.join(here, '..', '..');
const pagePath = path.resolve(process.env.PAGE ?? path.join(here, '..', 'dist', 'page.html'));
const command = path.resolve(process.env.BROADAXE ?? path.join(repository, 'target', 'debug', 'broadaxe'));
const TARGETS = 'onnx,openvino,ncnn,litert,litert-gpu';

let browser;

before(async () => {
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--enable-precise-memory-info'],
  });
});
after(() => browser?.close());

/** Opens the page from disk, without a network; fails on errors and requests. */
async function open(address = '') {
  const context = await browser.newContext({ offline: true });
  await context.addInitScript(watch);
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || faults.push(request.url()));
  await page.goto(pathToFileURL(pagePath).href + address);
  await page.waitForSelector('main h1');
  return { page, context, faults };
}

/** Keeps what the worker answers to the last check, and how long it took from the file. Runs in the page. */
function watch() {
  const Native = globalThis.Worker;
  const asked = new Map();
  let start = 0;
  globalThis.answers = [];
  globalThis.Worker = class extends Native {
    constructor(...args) {
      super(...args);
      this.addEventListener('message', ({ data }) => {
        const word = asked.get(data.id);
        if (data.kind === 'trap') globalThis.answers.push({ error: `trap: ${data.text}` });
        else if (data.answer?.error !== undefined) globalThis.answers.push({ error: data.answer.error });
        else if (word === 'check') globalThis.answers.push({ record: data.answer.record, ms: performance.now() - start, read: data.read });
      });
    }
    postMessage(message, ...rest) {
      if (message.kind === 'files') start = performance.now();
      if (message.request) asked.set(message.id, message.request.do);
      super.postMessage(message, ...rest);
    }
  };
}

/** Starts a module in a page; returns a function that sends it a request. */
async function module(page, bytes) {
  await page.evaluate(`globalThis.asker = ${asker}; undefined`);
  await page.evaluate((base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { read: () => 1 } });
    globalThis.request = globalThis.asker(exports);
  }, bytes.toString('base64'));
  return (text) => page.evaluate((text) => globalThis.request(text), text);
}

function rulesModule() {
  const base64 = /id="rules-wasm">([^<]+)</.exec(fs.readFileSync(pagePath, 'utf8'))[1];
  return Buffer.from(base64, 'base64');
}

/** Runs the command; its exit code does not matter. */
function run(args, options = {}) {
  const ran = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 30, ...options });
  if (ran.error) throw ran.error;
  return ran.stdout;
}

const states = fs.readFileSync(path.join(here, 'states.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('# '));

test(`${states.length} states: the answers are those of the command, and the drawings as recorded`, async () => {
  const { page, context, faults } = await open();
  const ask = await module(page, rulesModule());
  const golden = [];
  for (const state of states) {
    const [address, rule] = [state.split(' ')[0], state.split(' ').slice(1).join(' ')];
    const answer = await ask(`ask ${address}`);
    const shapes = decodeURIComponent(address.split('&')[0].replaceAll('+', ' ')).split(' ');
    assert.equal(answer.address, address);
    assert.deepEqual(answer.compare, JSON.parse(run(['compare', '--json', '--', ...shapes])), state);
    const options = rule ? [`--rule=${rule.split(' ')[0]}`, ...rule.split(' ').slice(1).map((part) => `--${part}`)] : [];
    const shaped = JSON.parse(run(['shape', '--json', ...options, ...(rule.startsWith('ncnn') ? ['--row-major'] : []), '--', ...shapes]));
    assert.deepEqual(answer.chosen.json, shaped, state);
    // The command draws a sheet, with the numbers and a legend.
    golden.push(`${createHash('sha256').update(answer.chosen.drawing?.svg ?? '').digest('hex').slice(0, 16)} ${state}`);
    await page.evaluate((address) => (location.hash = address), address);
  }
  const recorded = path.join(here, 'states.golden.txt');
  if (process.env.BROADAXE_WRITE) fs.writeFileSync(recorded, golden.join('\n') + '\n');
  assert.deepEqual(golden, fs.readFileSync(recorded, 'utf8').trim().split('\n'));
  assert.deepEqual(faults, []);
  await context.close();
});

test('all cases of the rules, asked in the browser', { skip: !process.env.CASES && 'CASES names no file' }, async () => {
  const { page, context } = await open();
  await module(page, rulesModule());
  const cases = fs.readFileSync(process.env.CASES, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const wrong = await page.evaluate((cases) => {
    const wrong = [];
    for (const { id, address, want } of cases) {
      const { chosen } = globalThis.request(`ask ${address}`);
      const got = chosen?.json?.shape ? { shape: chosen.json.shape, strides: chosen.json.operands.map((one) => one.strides) } : null;
      const same = want === null || got === null ? want === got : JSON.stringify(got.shape) === JSON.stringify(want.shape);
      const strides = want === null || got === null || JSON.stringify(want.strides) === JSON.stringify(got.strides) || want.split;
      if (!same || !strides) wrong.push({ id, address, want, got });
    }
    return wrong;
  }, cases);
  console.log(`${cases.length} cases, ${wrong.length} differ`);
  assert.deepEqual(wrong.slice(0, 5), []);
  assert.ok(cases.length > 1000, 'too few cases');
  await context.close();
});

test('the bits of all kernels are the recorded ones', { skip: !process.env.GOLDEN && 'GOLDEN names no module', timeout: 600_000 }, async () => {
  const { page, context } = await open();
  const ask = await module(page, fs.readFileSync(process.env.GOLDEN));
  const got = await ask('golden');
  const want = fs.readFileSync(path.join(repository, 'crates/broadaxe-testing/tests/golden.txt'), 'utf8').trim().split('\n').slice(1);
  const wrong = want.filter((line, at) => line !== got[at]);
  console.log(`${want.length} kernels, ${wrong.length} differ`);
  assert.equal(got.length, want.length);
  assert.deepEqual(wrong.slice(0, 5), []);
  await context.close();
});

/** Checks files in the page; returns the record, and how long the module took. */
async function checked(page, files, brief = false) {
  await page.evaluate((for_) => (location.hash = `/check?for=${for_}`), TARGETS);
  const input = page.locator('input[type=file]').first();
  await input.waitFor({ state: 'attached' });
  const before = await page.evaluate(() => globalThis.answers.length);
  await input.setInputFiles(files);
  return page.evaluate(async ([before, brief]) => {
    for (let k = 0; k < 2400; k += 1) {
      const answer = globalThis.answers[before];
      if (answer) return brief ? { error: answer.error, verdicts: answer.record?.findings.length } : answer;
      if (k % 40 === 39 && /and was stopped/.test(document.body.innerText)) return { error: 'stopped' };
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    return { error: 'no answer' };
  }, [before, brief]);
}

/** Lists the models of folders, each with its file of weights. */
function graphs(folders) {
  const found = [];
  for (const folder of folders) {
    for (const name of fs.readdirSync(folder, { recursive: true }).map(String).sort()) {
      if (!/\.(onnx|xml|param|tflite|pdmodel)$/.test(name)) continue;
      const file = path.join(folder, name);
      const weights = file.replace(/\.[^.]+$/, '.bin');
      found.push(fs.existsSync(weights) && /\.(xml|param)$/.test(file) ? [file, weights] : [file]);
    }
  }
  return found;
}

const folders = (process.env.GRAPHS ?? [path.join(repository, 'crates/broadaxe-format/tests/models'), path.join(repository, 'examples')].join(':')).split(':');

test('models are judged as by the command', { timeout: 3_000_000 }, async () => {
  const { page, context, faults } = await open('#/check');
  const wrong = [];
  const slow = [];
  const all = graphs(folders);
  for (const files of all) {
    const [name, folder] = [path.basename(files[0]), path.dirname(files[0])];
    const got = await checked(page, files);
    // The page leaves out those of its own targets that no converter reaches.
    const targets = got.record?.targets.map((target) => target.name).join() ?? TARGETS;
    const start = performance.now();
    const text = run(['check', '--no-config', '--no-cache', '--json', '--for', targets, '--', name], { cwd: folder });
    const commandMs = performance.now() - start;
    const want = JSON.parse(text);
    const left = TARGETS.split(',').filter((name) => !targets.split(',').includes(name));
    if (left.length && !/\.tflite$/.test(name)) wrong.push(`${name}: the page leaves out ${left}`);
    const [model] = want.models;
    if (!model) {
      if (!got.error) wrong.push(`${name}: the command says ${want.errors?.[0]?.message}, the page checks it`);
    } else if (got.error) {
      wrong.push(`${name}: ${got.error}`);
    } else {
      slow.push([got.ms / commandMs, name, got.ms, commandMs]);
      try {
        assert.deepEqual(got.record, model);
      } catch (error) {
        wrong.push(`${name}: ${error.message.slice(0, 600)}`);
      }
    }
  }
  slow.sort((a, b) => b[2] - a[2]);
  console.log(`${all.length} models, ${wrong.length} differ`);
  for (const text of wrong) console.log(`  ${text.slice(0, 120).replaceAll('\n', ' ')}`);
  for (const [ratio, name, page_, own] of slow.slice(0, 3)) console.log(`  ${name}: page ${page_.toFixed(0)} ms, command ${own.toFixed(0)} ms (${ratio.toFixed(2)})`);
  assert.deepEqual(wrong.slice(0, 5), []);
  assert.deepEqual(faults, []);
  await context.close();
});

/** Writes a protocol buffer field with bytes. */
const field = (number, bytes) => Buffer.concat([varint(BigInt(number << 3 | 2)), varint(BigInt(bytes.length)), bytes]);
const integer = (number, value) => Buffer.concat([varint(BigInt(number << 3)), varint(BigInt(value))]);
function varint(value) {
  const bytes = [];
  for (; value >= 128n; value >>= 7n) bytes.push(Number(value & 127n) | 128);
  return Buffer.from([...bytes, Number(value)]);
}

/** Writes an ONNX file whose weights fill 3 GiB that no disk holds. */
function sparse(file) {
  const elements = 3 * 2 ** 28;
  const text = (value) => Buffer.from(value);
  const add = Buffer.concat([field(1, text('x')), field(1, text('w')), field(2, text('y')), field(3, text('add')), field(4, text('Add'))]);
  const dims = (sizes) => field(2, Buffer.concat(sizes.map((size) => field(1, integer(1, size)))));
  const value = (name, sizes) => Buffer.concat([field(1, text(name)), field(2, field(1, Buffer.concat([integer(1, 1), ...(sizes ? [dims(sizes)] : [])])))]);
  const head = Buffer.concat([integer(1, elements), integer(2, 1), field(8, text('w'))]);
  const weights = BigInt(elements) * 4n;
  const tensor = Buffer.concat([head, varint(BigInt(9 << 3 | 2)), varint(weights)]);
  const initializer = Buffer.concat([varint(BigInt(5 << 3 | 2)), varint(BigInt(tensor.length) + weights), tensor]);
  const before = Buffer.concat([field(1, add), field(2, text('g')), initializer]);
  const after = Buffer.concat([field(11, value('x', [2, elements])), field(12, value('y'))]);
  const graph = Buffer.concat([varint(BigInt(7 << 3 | 2)), varint(BigInt(before.length + after.length) + weights), before]);
  const start = Buffer.concat([integer(1, 8), field(8, integer(2, 13)), graph]);
  const handle = fs.openSync(file, 'w');
  fs.writeSync(handle, start, 0, start.length, 0);
  fs.writeSync(handle, after, 0, after.length, start.length + Number(weights));
  fs.closeSync(handle);
  return fs.statSync(file).size;
}

test('a file of 3 GiB is checked without reading its weights', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'broadaxe-large-'));
  const file = path.join(folder, 'large.onnx');
  const size = sparse(file);
  assert.ok(size > 3 * 2 ** 30);
  const { page, context, faults } = await open('#/check');
  const got = await checked(page, [file]);
  const memory = renderers();
  if (got.error) console.log(got.error);
  console.log(`${size} bytes: ${got.read} bytes read, ${got.ms?.toFixed(0)} ms, renderers of ${memory.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(', ')} MiB`);
  assert.equal(got.error, undefined);
  const want = JSON.parse(run(['check', '--no-config', '--no-cache', '--json', '--for', TARGETS, '--', 'large.onnx'], { cwd: folder })).models[0];
  assert.deepEqual(got.record, want);
  assert.ok(Math.max(...memory) < 300 * 2 ** 20);
  assert.deepEqual(faults, []);
  await context.close();
  fs.rmSync(folder, { recursive: true });
});

/** Lists the memory of the processes that show pages: what they do not share with others. */
function renderers() {
  const found = [];
  for (const id of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (!fs.readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--type=renderer')) continue;
      const rollup = fs.readFileSync(`/proc/${id}/smaps_rollup`, 'utf8');
      const kib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(rollup)?.[1] ?? 0);
      found.push((kib('Private_Dirty') + kib('Private_Clean')) * 1024);
    } catch {
      // The process has ended.
    }
  }
  return found;
}

test('rules answer soon after the load of the page', async () => {
  const times = [];
  for (let k = 0; k < 5; k += 1) {
    const { page, context } = await open('#2,3,4+3,1');
    times.push(await page.evaluate(() => performance.getEntriesByName('answered')[0]?.startTime ?? NaN));
    await context.close();
  }
  times.sort((a, b) => a - b);
  console.log(`first answer after ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
  assert.ok(times[2] < 400, 'the page is slow on this machine');
});

/** Writes an ONNX model of additions whose names are given. */
function additions(names) {
  const text = (value) => Buffer.from(value);
  const dims = field(2, Buffer.concat([2, 2].map((size) => field(1, integer(1, size)))));
  const value = (name, shape) => Buffer.concat([field(1, text(name)), field(2, field(1, Buffer.concat([integer(1, 1), shape])))]);
  const nodes = names.map((name, at) =>
    field(1, Buffer.concat([field(1, text(at === 0 ? 'x' : names[at - 1])), field(1, text('b')), field(2, text(name)), field(3, text(name)), field(4, text('Add')), field(5, Buffer.concat([field(1, text('axis')), integer(3, 0), integer(20, 2)])), field(5, Buffer.concat([field(1, text('broadcast')), integer(3, 1), integer(20, 2)]))])),
  );
  const graph = Buffer.concat([...nodes, field(2, text('g')), field(11, value('x', dims)), field(11, value('b', field(2, field(1, integer(1, 2))))), field(12, value(names.at(-1), Buffer.alloc(0)))]);
  return Buffer.concat([integer(1, 3), field(8, integer(2, 6)), field(7, graph)]);
}

/** Nests graphs in graphs. */
function nested(depth) {
  let graph = field(2, Buffer.from('g'));
  for (let k = 0; k < depth; k += 1) graph = field(1, Buffer.concat([field(4, Buffer.from('If')), field(5, Buffer.concat([field(1, Buffer.from('then_branch')), field(6, graph), integer(20, 5)]))]));
  return Buffer.concat([integer(1, 8), field(8, integer(2, 13)), field(7, graph)]);
}

const names = ['<img src=x onerror=alert(1)>', '</script><script>alert(1)</script>', '"><svg/onload=alert(1)>', 'javascript:alert(1)', 'a\u202eb\u2066c', '\u001b[31m\u0000', '${alert(1)}{{7*7}}', '𒐫'.repeat(300)];
const entities = `<!DOCTYPE net [<!ENTITY a "aaaaaaaaaa">${Array.from({ length: 9 }, (_, k) => `<!ENTITY ${'bcdefghij'[k]} "${`&${'abcdefghi'[k]};`.repeat(10)}">`).join('')}]><net name="&j;" version="11"><layers/></net>`;
const hostile = {
  'names.onnx': additions(names),
  'many.onnx': additions(Array.from({ length: 100_000 }, (_, k) => `n${k}`)),
  'deep.onnx': nested(500),
  'cut.onnx': additions(names).subarray(0, 150),
  'lengths.onnx': Buffer.from([8, 8, 58, 255, 255, 255, 255, 255, 255, 255, 255, 127]),
  'entities.xml': Buffer.from(entities),
  'deep.xml': Buffer.from(`<net name="a" version="11">${'<layers>'.repeat(200_000)}`),
  'deep.json': Buffer.from('['.repeat(2_000_000)),
  'counts.param': Buffer.from('7767517\n999999999 999999999\nInput in 0 1 x\n'),
  'many.param': Buffer.from(`7767517\n100001 100001\nInput in 0 1 x0 0=2 1=2\n${Array.from({ length: 100_000 }, (_, k) => `BinaryOp <b>${k} 2 1 x${k} x${k} x${k + 1} 0=0`).join('\n')}\n`),
  'offsets.tflite': Buffer.from([0xff, 0xff, 0xff, 0x7f, 0x54, 0x46, 0x4c, 0x33, ...new Array(64).fill(0xff)]),
  'zeros.pdmodel': Buffer.alloc(1 << 20),
};

test('hostile files cannot inject, hang or crash the page', { timeout: 600_000 }, async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'broadaxe-hostile-'));
  const { page, context, faults } = await open('#/check');
  page.on('dialog', (dialog) => faults.push(`dialog: ${dialog.message()}`));
  for (const [name, bytes] of Object.entries(hostile)) {
    const file = path.join(folder, name);
    fs.writeFileSync(file, bytes);
    const start = performance.now();
    const got = await checked(page, [file], true);
    const alive = performance.now();
    const text = await page.evaluate(() => document.body.innerText);
    const stopped = /and was stopped/.test(text);
    // The page answers after it looked at the file, or stopped to.
    await page.evaluate(() => (location.hash = '2,3+3'));
    await page.waitForSelector('main svg');
    const shown = performance.now() - alive;
    const what = stopped ? 'stopped with a message' : (got.error ?? `${got.verdicts} verdicts`);
    console.log(`${name}: ${what.slice(0, 90)} (${((alive - start) / 1000).toFixed(1)} s)`);
    assert.notEqual(what, 'no answer', name);
    assert.ok(shown < 10_000, name);
    await page.evaluate(() => (location.hash = '/check'));
    const found = await page.evaluate(() => ({ scripts: document.querySelectorAll('main script, main iframe, main img, main [onerror], main [onload]').length, text: document.body.innerText }));
    assert.equal(found.scripts, 0, name);
    assert.ok(!/[\u202a-\u202e\u2066-\u2069\u001b]/.test(found.text), name);
  }
  assert.deepEqual(faults, []);
  await context.close();
  fs.rmSync(folder, { recursive: true });
});

// Opens the page in Firefox, through WebDriver BiDi: PAGE=page.html FIREFOX=/usr/bin/firefox-esr node --test tests/firefox.spec.mjs
//
// CASES and GOLDEN are as for module.spec.mjs, which tests the same in Chromium.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';
import { asker } from './asker.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const repository = path.join(here, '..', '..');
const pagePath = path.resolve(process.env.PAGE ?? path.join(here, '..', 'dist', 'page.html'));

let browser;

before(async () => {
  browser = await puppeteer.launch({ browser: 'firefox', executablePath: process.env.FIREFOX ?? '/usr/bin/firefox-esr', headless: true, timeout: 120_000 });
});
after(() => browser?.close());

async function open(address = '') {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(pagePath).href + address);
  await page.waitForSelector('main h1');
  return page;
}

/** Starts a module in a page, and asks it; `texts` is a list of requests. */
async function ask(page, bytes, texts) {
  await page.evaluate(`globalThis.asker = ${asker}; undefined`);
  return page.evaluate(
    (base64, texts) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { read: () => 1 } });
      return texts.map(globalThis.asker(exports)).map((answer) => JSON.stringify(answer));
    },
    bytes.toString('base64'),
    texts,
  );
}

const rules = () => Buffer.from(/id="rules-wasm">([^<]+)</.exec(fs.readFileSync(pagePath, 'utf8'))[1], 'base64');

test('the drawings of all states are the recorded ones', async () => {
  const page = await open();
  const golden = fs.readFileSync(path.join(here, 'states.golden.txt'), 'utf8').trim().split('\n');
  const states = golden.map((line) => line.slice(17));
  const answers = await ask(page, rules(), states.map((state) => `ask ${state.split(' ')[0]}`));
  const got = answers.map((json, at) => {
    const svg = JSON.parse(json).chosen.drawing?.svg ?? '';
    return `${createHash('sha256').update(svg).digest('hex').slice(0, 16)} ${states[at]}`;
  });
  assert.deepEqual(got, golden);
  await page.close();
});

test('all cases of the rules', { skip: !process.env.CASES && 'CASES names no file' }, async () => {
  const page = await open();
  const cases = fs.readFileSync(process.env.CASES, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const answers = await ask(page, rules(), cases.map(({ address }) => `ask ${address}`));
  for (const [at, { id, want }] of cases.entries()) assert.deepEqual(JSON.parse(answers[at]).chosen?.json.shape ?? null, want && want.shape, id);
  console.log(`${cases.length} cases`);
  await page.close();
});

test('the bits of all kernels are the recorded ones', { skip: !process.env.GOLDEN && 'GOLDEN names no module', timeout: 600_000 }, async () => {
  const page = await open();
  const [got] = await ask(page, fs.readFileSync(process.env.GOLDEN), ['golden']);
  const want = fs.readFileSync(path.join(repository, 'crates/broadaxe-testing/tests/golden.txt'), 'utf8').trim().split('\n').slice(1);
  assert.deepEqual(JSON.parse(got), want);
  console.log(`${want.length} kernels`);
  await page.close();
});

test('a model is checked and fixed', async () => {
  const page = await open('#/check?for=onnx,ncnn&example=face.onnx');
  await page.waitForFunction(() => document.body.innerText.includes('differs on ONNX Runtime, ncnn (via pnnx)'), { timeout: 60_000 });
  assert.match(await page.evaluate(() => document.body.innerText), /0 bytes sent/);
  await page.evaluate(() => [...document.querySelectorAll('button')].find((one) => one.textContent === 'Fix the model').click());
  await page.waitForFunction(() => document.body.innerText.includes('face-fixed.onnx'), { timeout: 60_000 });
  await page.close();
});

test('the guide has its drawings', async () => {
  const page = await open('#/learn/1');
  await page.waitForSelector('main svg');
  await page.close();
});

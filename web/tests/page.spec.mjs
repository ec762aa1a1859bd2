// Tests of the page in a browser: PAGE=page.html CHROMIUM=/usr/bin/chromium node --test tests/page.spec.mjs
//
// The check's tests build a second page, whose worker is tests/mock.worker.js: they test the page, not the module.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const require = createRequire(import.meta.url);
const here = path.dirname(fileURLToPath(import.meta.url));
const pagePath = path.resolve(process.env.PAGE ?? path.join(here, '..', 'dist', 'page.html'));
const axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const real = pathToFileURL(pagePath).href;

let browser;
let scratch;
let mock;

before(async () => {
  scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'broadaxe-page-'));
  const base64 = /id="rules-wasm">([^<]+)</.exec(fs.readFileSync(pagePath, 'utf8'))[1];
  const rules = path.join(scratch, 'rules.wasm');
  fs.writeFileSync(rules, Buffer.from(base64, 'base64'));
  execFileSync(process.execPath, [path.join(here, '..', 'build.mjs'), '--rules', rules, '--check', rules, '--worker', path.join(here, 'mock.worker.js'), '--out', path.join(scratch, 'out')]);
  mock = pathToFileURL(path.join(scratch, 'out', 'page.html')).href;
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
});
after(async () => {
  await browser?.close();
  fs.rmSync(scratch, { recursive: true, force: true });
});

/** Opens a page without a network, and fails on errors and on requests. */
async function open(url, options = {}) {
  const context = await browser.newContext({ viewport: { width: options.width ?? 1200, height: 900 }, colorScheme: options.scheme ?? 'light', offline: true });
  const page = await context.newPage();
  const errors = [];
  const requests = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('request', (request) => /^(file|data|blob):/.test(request.url()) || requests.push(request.url()));
  await page.goto(url);
  await page.waitForSelector('main h1');
  return {
    page,
    async close() {
      assert.deepEqual(errors, []);
      assert.deepEqual(requests, []);
      await context.close();
    },
  };
}

async function give(page, name, content = 'x'.repeat(4000)) {
  await page.setInputFiles('#files', { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
}

// Addresses that people may have linked to. A line may be added, and none may change.
const ADDRESSES = [
  ['#2,3,4+3,1', 'The result is (2, 3, 4)'],
  ['#2,2+2', 'two meanings'],
  ['#3+3,1', 'two meanings'],
  ['#2,3+4', 'No rule accepts these shapes'],
  ['#2,3+2', 'NumPy rejects these shapes'],
  ['#1,3,3,3+3', 'four meanings'],
  ['#n,4+3,4', 'All 10 rules that accept these shapes mean the same for n = 3; for n = 1, 6 of 10 reject.'],
  ['#n,4+3,4&rule=pdpd&axis=1', 'b does not fit at axis 1'],
  ['#n,3+3', 'three meanings'],
  ['#2,3,4+3&rule=paddle&axis=1', 'NumPy rejects these shapes'],
  ['#3&rule=broadcast-to&target=4,2,3', 'Under broadcast-to the result is (4, 2, 3).'],
  ['#3&rule=explicit&axes=1&target=4,3', 'explicit axes=1 target=4,3'],
  ['#2,3+2,3+2,3&rule=openvino-select&mode=none', 'openvino-select mode=none'],
  ['#2,4+2,2', 'Only ggml accepts these shapes'],
  ['#()+3', 'The result is (3,)'],
  ['#2,0+1', 'The result is (2, 0)'],
  ['#...+3', 'meanings'],
  ['#1..8,4+4', 'meanings'],
  ['#?,3+3', 'meanings'],
  ['#5', 'The result is (5,)'],
  ['#/check?for=ncnn,openvino', 'Does this model mean the same'],
  ['#/learn/5', 'Align to the front'],
  ['#/learn/19', 'Constants on LiteRT'],
];

test('addresses show their state, and stay as they are', async () => {
  for (const [hash, text] of ADDRESSES) {
    const { page, close } = await open(real + hash);
    assert.ok((await page.textContent('main')).includes(text), `${hash}: ${text}`);
    const field = page.locator('.ask .operand input').first();
    if (await field.count()) {
      // Typing the same text again writes the address.
      await field.dispatchEvent('input');
    }
    assert.equal(decodeURIComponent(new URL(page.url()).hash), hash);
    await close();
  }
});

test('a heading of open shapes agrees with its note and its cards', async () => {
  // address, heading, note, number of cards
  const cases = [
    ['#n+m', 'mean the same for m = 2, n = 2', 'both mean the same.', 1],
    ['#n,4+3,4', 'for n = 1, 6 of 10 reject', 'both mean the same.', 1],
    ['#n,3+3', 'three meanings', 'With n = 3 they differ.', 3],
    ['#n,4+4,4+n,4', 'mean the same', 'both mean the same.', 1],
  ];
  for (const [hash, heading, note, cards] of cases) {
    const { page, close } = await open(real + hash);
    assert.ok((await page.textContent('.verdict h2')).includes(heading), hash);
    assert.ok((await page.textContent('.verdict .note')).includes(note), hash);
    assert.equal(await page.locator('.meaning').count(), cards, hash);
    await close();
  }
});

test('guards have brackets where and meets or, and the height of their text', async () => {
  for (const width of [360, 1440]) {
    const { page, close } = await open(`${real}#n+m`, { width });
    const guards = await page.locator('.guards dt').allTextContents();
    assert.ok(guards.includes('n != 0 and m != 0 and (n == m or n == 1 or m == 1)'), guards.join('\n'));
    for (const hash of ['#n+m', '#n,m+m', '#n,3+3']) {
      await page.goto(real + hash);
      const heights = await page.locator('.guards dt').evaluateAll((all) => all.map((one) => [one.clientHeight, one.firstElementChild.getClientRects().length]));
      for (const [height, lines] of heights) assert.ok(height <= 26 * lines, `${hash} at ${width}: ${height} px for ${lines} lines`);
    }
    await close();
  }
});

test('a blank separates operands in the address, in a field and in the answer', async () => {
  const { page, close } = await open(`${real}#foo bar`);
  const fields = () => page.locator('.operand input').evaluateAll((all) => all.map((one) => one.value));
  assert.deepEqual(await fields(), ['foo', 'bar']);
  assert.match(await page.textContent('.meaning .drawing svg title, .meaning .drawing'), /bar/);
  await page.goto(`${real}#2`);
  await page.locator('.operand input').first().focus();
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('2, 3 3');
  assert.deepEqual(await fields(), ['2,3', '3']);
  assert.equal(new URL(page.url()).hash, '#2,3+3');
  await close();
});

test('an address that cannot be read says why and keeps what was typed', async () => {
  for (const hash of ['#2,3+3&rule=xyz', '#2,,3', '#(2']) {
    const { page, close } = await open(real + hash);
    assert.ok((await page.textContent('.answer')).includes('cannot be read'), hash);
    await close();
  }
});

test('the rules answer as soon as the page is shown', async () => {
  const { page, close } = await open(real);
  const ms = await page.evaluate(() => performance.getEntriesByName('answered')[0].startTime);
  console.log(`# first answer after ${Math.round(ms)} ms`);
  assert.ok(ms < 1000, `${ms} ms`);
  await close();
});

test('a link is copied where others can open it, and else the page says why not', async () => {
  const { page, close } = await open(real);
  assert.equal(await page.getByRole('button', { name: 'Copy link' }).count(), 0);
  assert.match(await page.textContent('.ask'), /No link to copy: this page is a file on your machine/);
  await close();
  const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  const shared = await context.newPage();
  await shared.route('https://example.com/page.html', (route) => route.fulfill({ path: pagePath, contentType: 'text/html' }));
  await shared.goto('https://example.com/page.html#3,4+4');
  await shared.getByRole('button', { name: 'Copy link' }).click();
  await shared.waitForSelector('text=Copied');
  assert.equal(await shared.evaluate(() => navigator.clipboard.readText()), 'https://example.com/page.html#3,4+4');
  await context.close();
});

test('nothing scrolls sideways on a phone, and drawings keep the axis that differs', async () => {
  for (const hash of ['#1,16,8,8+16', '#2,3,4,5,6,7+5,6,1', '#2,3+4', '#n+m', '#/learn/10', '#/check?for=onnx,ncnn&example=face.onnx']) {
    const { page, close } = await open(real + hash, { width: 360 });
    await page.waitForSelector('main .drawing svg');
    const wrong = await page.evaluate(() => [...document.querySelectorAll('main *')].filter((one) => !one.closest('svg, .visually-hidden') && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible').map((one) => one.className));
    assert.deepEqual(wrong, [], hash);
    const cut = await page.evaluate(() => [...document.querySelectorAll('main .drawing rect:not(.ground)')].filter((one) => one.getBoundingClientRect().right > innerWidth).length);
    assert.equal(cut, 0, hash);
    const outside = await page.evaluate(() => [...document.querySelectorAll('main .drawing text')].filter((one) => one.getBoundingClientRect().left < one.closest('svg').getBoundingClientRect().left).map((one) => one.textContent));
    assert.deepEqual(outside, [], hash);
    await close();
  }
});

async function violations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 120)} (${node.failureSummary?.split('\n')[1]})`).join(' | ')}`);
}

const STATES = {
  ask: ['#2,2+2'],
  failure: ['#2,3+4', async (page) => page.evaluate(() => document.querySelectorAll('.rejects details').forEach((one) => (one.open = true)))],
  open: ['#n,3+3&rule=paddle&axis=0'],
  learn: ['#/learn/10'],
  check: ['#/check'],
  findings: ['#/check', async (page) => (await give(page, 'face.onnx'), page.waitForSelector('.finding'), page.waitForTimeout(300))],
  fixed: [
    '#/check?for=onnx,ncnn',
    async (page) => {
      await give(page, 'face.onnx');
      await page.getByRole('button', { name: 'Fix the model' }).click();
      await page.waitForSelector('.fixed');
      await page.locator('.nodes > summary').last().click();
      await page.waitForSelector('.nodes tbody tr');
    },
  ],
  runtimes: ['#2,2+2', async (page) => (await page.waitForSelector('.runtimes li'), page.locator('.runtimes summary').evaluateAll((all) => all.forEach((one) => (one.parentElement.open = true))))],
};

for (const [name, [hash, prepare]] of Object.entries(STATES)) {
  test(`axe finds nothing: ${name}`, async () => {
    for (const scheme of ['light', 'dark']) {
      for (const width of [1200, 360]) {
        const { page, close } = await open(mock + hash, { scheme, width });
        await prepare?.(page);
        assert.deepEqual(await violations(page), [], `${name}, ${scheme}, ${width}`);
        const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.equal(over, 0, `${name} at ${width} scrolls by ${over}`);
        await close();
      }
    }
  });
}

test('nothing in an address or a file becomes markup', async () => {
  const evil = '<img src=x onerror="window.hacked=1">';
  for (const hash of [`#${evil}`, `#2+2&rule=${evil}`, `#2+2&rule=pdpd&axis=${evil}`, `#/check?for=${evil}`, '#a\u202eb+\u2066c', '#<svg/onload=window.hacked=1>+2']) {
    const { page, close } = await open(mock + hash);
    await page.waitForTimeout(150);
    assert.equal(await page.evaluate(() => window.hacked), undefined, hash);
    assert.equal(await page.locator('main img, main script, main a[href^="javascript"]').count(), 0, hash);
    await close();
  }
  const { page, close } = await open(`${mock}#/check`);
  await give(page, 'hostile.onnx');
  await page.waitForSelector('.finding');
  await page.locator('.finding details summary').first().click();
  await page.waitForSelector('.member-list summary');
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.locator('main img, main i:not([class]), main b > b').count(), 0);
  const text = await page.textContent('.check-result');
  assert.ok(text.includes('<img src=x onerror='));
  assert.ok(!text.includes('\u202e'));
  assert.ok(text.includes('\\u{202e}'));
  await close();
});

test('no connection is possible', async () => {
  const { page, close } = await open(`${real}#/check`);
  const blocked = await page.evaluate(() => fetch('https://example.com/').then(() => false, () => document.querySelectorAll('meta[http-equiv]').length));
  assert.equal(blocked, 2);
  assert.ok((await page.textContent('.privacy')).includes('0 bytes sent'));
  assert.ok((await page.textContent('.privacy')).includes('0 requests'));
  await close().catch((error) => assert.match(error.message, /connect-src|Content Security Policy/));
});

test('the keyboard is enough', async () => {
  const { page, close } = await open(`${real}#`);
  await page.keyboard.press('/');
  await page.keyboard.type('3,4+4,1');
  // The plus sign began a second field: three shapes, since the second of the example is still there.
  assert.deepEqual(await page.locator('.operand input').evaluateAll((all) => all.map((one) => one.value)), ['3,4', '4,1', '2']);
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  assert.deepEqual(await page.locator('.operand input').evaluateAll((all) => all.map((one) => one.value)), ['3,4', '4,1']);
  assert.equal(new URL(page.url()).hash, '#3,4+4,1');
  assert.ok((await page.textContent('.verdict h2')).includes('No rule accepts'));
  await page.goto(`${real}#2,2+2`);
  // Chips keep the focus when they choose a rule.
  await page.locator('.chip').first().focus();
  await page.keyboard.press('Enter');
  assert.equal(new URL(page.url()).hash, '#2,2+2&rule=numpy');
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-pressed')), 'true');
  // Elements of the result.
  const cell = page.locator('[role=gridcell][tabindex="0"]').first();
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  assert.match(await page.textContent('.meaning .sentence'), /element \(1, 1\) a\(1, 1\) \+ b\(1,\) = 3 \+ 1 = 4/);
  assert.equal(await page.locator('.meaning').first().locator('.cell.lit').count(), 3);
  // Escape closes what is expanded.
  await page.locator('.rejects summary').first().focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.rejects details[open]').count(), 1);
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.rejects details[open]').count(), 0);
  // Tabs of the texts to copy.
  await page.locator('[role=tab]').first().focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('[role=tab][aria-selected=true]').textContent(), 'pytest');
  assert.match(await page.textContent('#preview'), /def test_/);
  await close();
});

test('shapes in other forms are understood', async () => {
  const { page, close } = await open(`${real}#2`);
  const field = page.locator('.operand input').first();
  for (const [pasted, hash] of [['(2, 3) and (3,)', '#2,3+3'], ['torch.Size([1, 3]) torch.Size([3])', '#1,3+3'], ['4,1 + 1,4', '#4,1+1,4']]) {
    await field.focus();
    await page.keyboard.press('Control+A');
    await field.evaluate((input, text) => {
      const data = new DataTransfer();
      data.setData('text/plain', text);
      input.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }, pasted);
    assert.equal(decodeURIComponent(new URL(page.url()).hash), hash);
  }
  await close();
});

test('the theme follows the system and can be changed', async () => {
  const { page, close } = await open(real, { scheme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const box = () => page.evaluate(() => getComputedStyle(document.querySelector('.drawing rect.o0')).fill);
  const dark = [await ground(), await box()];
  await page.locator('.theme').click();
  const light = [await ground(), await box()];
  assert.notDeepEqual(dark, light);
  await page.locator('.theme').click();
  assert.deepEqual([await ground(), await box()], dark);
  assert.deepEqual(await page.evaluate(() => [document.cookie, 'localStorage' in window ? Object.keys(localStorage).length : 0]), ['', 0]);
  await close();
});

test('check: findings, filters, nodes and downloads', async () => {
  const { page, close } = await open(`${mock}#/check`);
  await page.getByRole('button', { name: /^face\.onnx/ }).click();
  await page.waitForSelector('.finding');
  // Two runtimes differ on the first node: one card, with the drawing once.
  assert.equal(await page.locator('.finding').count(), 2);
  assert.equal(await page.locator('.finding').first().locator('.drawing').count(), 1);
  assert.equal(await page.textContent('.finding .consequences'), 'differs on ONNX Runtime, ncnn (via pnnx)');
  await page.selectOption('#filter-target', 'ncnn');
  assert.equal(await page.locator('.finding').count(), 1);
  await page.selectOption('#filter-target', '');
  await page.fill('#filter-text', 'prelu1');
  assert.equal(await page.locator('.finding').count(), 1);
  await page.getByRole('button', { name: 'Fix the model' }).click();
  await page.waitForSelector('.verdict h2:has-text("0 of 3 findings left")');
  assert.deepEqual(await page.locator('.check-result .primary').allTextContents(), ['Download face-fixed.onnx3.5 kB']);
  assert.match(await page.textContent('.counts li'), /before2 differ, 1 sameafter4 same/);
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /Download face-fixed/ }).click()]);
  const fixed = fs.readFileSync(await download.path());
  const face = fs.readFileSync(path.join(here, '..', '..', 'examples', 'face.onnx'));
  assert.deepEqual(fixed, Buffer.concat([face.subarray(0, 100), Buffer.from('ABC'), face.subarray(100)]));
  // Another choice of runtimes checks again, and is in the address.
  await page.uncheck('#target-openvino');
  await page.waitForSelector('.finding');
  assert.equal(decodeURIComponent(new URL(page.url()).hash), '#/check?for=onnx,ncnn,litert,litert-gpu&example=face.onnx');
  await close();
});

test('check: a card draws the node of this model once, with what it reads', async () => {
  const { page, close } = await open(`${real}#/check?for=qnn,ncnn&example=face.onnx`);
  await page.waitForSelector('.finding .drawing');
  const card = page.locator('.finding').first();
  assert.deepEqual(await card.locator('figcaption').allTextContents(), ['In this model', 'On ncnn (via pnnx)']);
  assert.match(await card.locator('.drawing').first().textContent(), /\[0\]/);
  await close();
});

test('check: a model by link is downloaded once, and then connections are forbidden', async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const asked = [];
  await page.route(/^https:/, (route) => {
    asked.push(route.request().url());
    return route.fulfill({ status: 200, headers: { 'access-control-allow-origin': '*' }, body: Buffer.alloc(5000) });
  });
  await page.goto(`${mock}?url=${encodeURIComponent('https://github.com/some/model/blob/main/face.onnx')}`);
  await page.waitForSelector('.finding');
  assert.deepEqual(asked, ['https://raw.githubusercontent.com/some/model/main/face.onnx']);
  assert.ok((await page.textContent('.privacy')).includes('1 request since the page loaded, to download the model. The policy of this page forbids connections.'));
  assert.equal(await page.evaluate(() => fetch('https://example.com/').then(() => 'sent', () => 'blocked')), 'blocked');
  assert.equal(asked.length, 1);
  await page.goto(`${mock}?url=${encodeURIComponent('javascript:alert(1)')}`);
  await page.waitForSelector('text=Only links that begin with https://');
  await context.close();
});

test('check: an example is part of the address', async () => {
  const { page, close } = await open(`${mock}#/check?for=onnx,ncnn&example=face.onnx`);
  await page.waitForSelector('.finding');
  assert.equal(new URL(page.url()).hash, '#/check?for=onnx,ncnn&example=face.onnx');
  await give(page, 'many.onnx');
  await page.waitForSelector('text=Show more');
  assert.equal(new URL(page.url()).hash, '#/check?for=onnx,ncnn');
  await close();
});

test('check: thousands of findings', async () => {
  const { page, close } = await open(`${mock}#/check`);
  const start = Date.now();
  await give(page, 'many.onnx');
  await page.waitForSelector('.finding');
  assert.ok((await page.locator('.finding').count()) < 100);
  await page.locator('.finding details summary').nth(1).click();
  await page.waitForTimeout(100);
  console.log(`# 4,000 findings shown after ${Date.now() - start} ms`);
  await page.fill('#filter-text', 'layers.3999/');
  await page.waitForTimeout(100);
  assert.ok((await page.locator('.finding').count()) <= 2);
  await close();
});

test('check: a file can be dropped on every part', async () => {
  const { page, close } = await open(`${mock}#2,2+2`);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(['x'.repeat(4000)], 'face.onnx'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await page.waitForSelector('.finding');
  assert.equal(new URL(page.url()).hash, '#/check');
  await page.locator('text=Open these shapes in Ask').first().click();
  assert.equal(new URL(page.url()).hash, '#1,16,16,16+16');
  await page.goBack();
  assert.equal(await page.locator('.finding').count(), 2);
  await close();
});

test('check: a model that is not verified is offered after a second click', async () => {
  const { page, close } = await open(`${mock}#/check`);
  await give(page, 'unverified.onnx');
  await page.getByRole('button', { name: 'Fix the model' }).click();
  await page.waitForSelector('.notice:has-text("Not verified: the lengths of its operands are not all known.")');
  assert.equal(await page.getByRole('button', { name: /^Download unverified-fixed/ }).count(), 0);
  await page.getByRole('button', { name: 'Offer it all the same' }).click();
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Download unverified-fixed/ }).click()]);
  assert.equal(download.suggestedFilename(), 'unverified-fixed.onnx');
  await close();
});

test('check: undecided nodes do not read like a pass, and runtimes that a format does not come to are left out', async () => {
  const { page, close } = await open(`${mock}#/check`);
  await give(page, 'open.tflite');
  await page.waitForSelector('.verdict.undecided');
  assert.equal(await page.textContent('.verdict h2'), 'No known problem; 2 of 3 nodes unknown on OpenVINO, LiteRT, LiteRT GPU.');
  assert.ok(!(await page.isChecked('#target-ncnn')));
  await give(page, 'face.onnx');
  await page.waitForSelector('.finding');
  assert.ok(await page.isChecked('#target-ncnn'));
  await close();
});

test('check: the module of this page', async (context) => {
  const { page, close } = await open(`${real}#/check?for=onnx,openvino,ncnn&example=face.onnx`);
  if ((await page.textContent('main')).includes('cannot check models')) return context.skip('the page has no check module');
  await page.waitForSelector('.finding');
  const titles = await page.locator('.finding .consequences').allTextContents();
  assert.deepEqual(titles.sort(), ['differs on ONNX Runtime', 'differs on ONNX Runtime, ncnn (via pnnx)']);
  assert.ok((await page.textContent('.check-result')).includes('3 of 3 findings can be fixed, with an upgrade from opset 6 to 7'));
  assert.equal(await page.locator('.finding .drawing svg').count(), 4);
  assert.match(await page.textContent('.privacy'), /Read: (3\.[0-5] kB|[12]\.\d kB|\d+ bytes) of 3\.5 kB/);
  assert.deepEqual(await violations(page), []);
  await page.getByRole('button', { name: 'Fix the model' }).click();
  await page.waitForSelector('.verdict h2:has-text("0 of 3 findings left")');
  await page.locator('summary:has-text("findings before the fix")').click();
  assert.deepEqual(await violations(page), []);
  const [fixed] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: /^Download face-fixed/ }).click()]);
  const [one] = await Promise.all([page.waitForEvent('download'), page.locator('text=Download this node as a model').first().click()]);
  await page.setInputFiles('#files', [{ name: one.suggestedFilename(), mimeType: '', buffer: fs.readFileSync(await one.path()) }]);
  await page.waitForSelector(`.file-line:has-text("${one.suggestedFilename()}")`);
  await page.setInputFiles('#files', [{ name: 'face-fixed.onnx', mimeType: '', buffer: fs.readFileSync(await fixed.path()) }]);
  await page.waitForSelector('.file-line:has-text("face-fixed.onnx")');
  assert.ok((await page.textContent('.verdict h2')).startsWith('No findings'));
  await page.goto(`${real}#/check?for=litert,litert-gpu&example=position.tflite`);
  await page.waitForSelector('.consequences:has-text("differs on LiteRT GPU")');
  await page.goto(`${real}#6,8+6,8`);
  await page.waitForSelector('.runtimes li:has-text("aligns constants by their own rank")');
  await close();
});

test('check: weights that are missing can be added', async () => {
  const { page, close } = await open(`${mock}#/check`);
  await give(page, 'm.xml');
  await page.waitForSelector('.notice');
  assert.ok((await page.textContent('.notice')).includes('m.bin'));
  await give(page, 'm.bin');
  await page.waitForSelector('.notice', { state: 'detached' });
  await page.waitForSelector('.finding');
  await close();
});

test('check: what cannot be read, crashes or hangs is said, and the page goes on', async () => {
  const { page, close } = await open(`${mock}#/check`);
  await give(page, 'not-a-model.onnx');
  await page.waitForSelector('text=not a model file');
  await give(page, 'crash.onnx');
  await page.waitForSelector('text=The check crashed and was stopped (unreachable)');
  await page.clock.install();
  await give(page, 'hang.onnx');
  await page.waitForSelector('text=Checking hang.onnx');
  await page.clock.fastForward(31_000);
  await page.waitForSelector('text=did not answer for 30 seconds');
  await page.clock.resume();
  await give(page, 'face.onnx');
  await page.waitForSelector('.finding');
  await close();
});

test('the element draws in other documents', async () => {
  const context = await browser.newContext({ offline: true });
  const page = await context.newPage();
  const script = fs.readFileSync(path.join(scratch, 'out', 'broadaxe-shapes.js'), 'utf8');
  await page.setContent(`<broadaxe-shapes shapes="2,3+3" rule="numpy"></broadaxe-shapes><script type="module">${script}</script>`);
  const text = () => page.evaluate(() => document.querySelector('broadaxe-shapes').shadowRoot.textContent);
  await page.waitForFunction(() => document.querySelector('broadaxe-shapes').shadowRoot?.querySelector('svg'));
  assert.ok((await text()).includes('(2, 3) + (3,) under numpy'));
  await page.evaluate(() => {
    const element = document.querySelector('broadaxe-shapes');
    element.setAttribute('shapes', '2,3,4+3');
    element.setAttribute('rule', 'pdpd axis=1');
  });
  await page.waitForFunction(() => document.querySelector('broadaxe-shapes').shadowRoot.textContent.includes('pdpd'));
  await page.evaluate(() => document.querySelector('broadaxe-shapes').setAttribute('shapes', '<b>'));
  await page.waitForFunction(() => document.querySelector('broadaxe-shapes').shadowRoot.querySelector('p'));
  await context.close();
});

test('two builds give the same bytes', () => {
  const out = path.join(scratch, 'again');
  execFileSync(process.execPath, [path.join(here, '..', 'build.mjs'), '--rules', path.join(scratch, 'rules.wasm'), '--check', path.join(scratch, 'rules.wasm'), '--worker', path.join(here, 'mock.worker.js'), '--out', out]);
  for (const name of ['page.html', 'broadaxe-shapes.js', 'npm/index.js', 'npm/index.d.ts', 'npm/package.json']) {
    assert.ok(fs.readFileSync(path.join(out, name)).equals(fs.readFileSync(path.join(scratch, 'out', name))), name);
  }
});

// Takes pictures of the page: PAGE=page.html CHROMIUM=/usr/bin/chromium node tests/shots.mjs FOLDER [NAME]
//
// A picture for each state, width and theme, of the whole page. Prints the height of each, and what is wrong with it: what scrolls sideways,
// and text that is cut off.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';

const [folder = 'shots', only = ''] = process.argv.slice(2);
const real = pathToFileURL(path.resolve(process.env.PAGE ?? 'dist/page.html')).href;
const checked = (page) => page.waitForSelector('.check-result .counts, .check-result .table');
const fixed = async (page) => {
  await checked(page);
  await page.getByRole('button', { name: 'Fix the model' }).click();
  await page.waitForSelector('.fixed');
};
const file = (name) => async (page) => {
  await page.setInputFiles('#files', name);
  await checked(page);
};

const STATES = {
  ask: ['#1,16,8,8+16'],
  compare: ['#2,2+2'],
  open: ['#n+m'],
  failing: ['#2,3+4', (page) => page.evaluate(() => document.querySelectorAll('.rejects details').forEach((one, at) => (one.open = at < 2)))],
  learn: ['#/learn/10'],
  check: ['#/check'],
  findings: ['#/check?for=onnx,openvino,ncnn,litert,litert-gpu&example=face.onnx', checked],
  fixed: ['#/check?for=onnx,openvino,ncnn,litert,litert-gpu&example=face.onnx', fixed],
  gpu: ['#/check?for=litert-gpu&example=position.tflite', checked],
  ...(process.env.MODEL ? { model: [`#/check?for=${process.env.FOR ?? 'coreml,qnn,ncnn'}`, file(process.env.MODEL)] } : {}),
};

fs.mkdirSync(folder, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
for (const width of [360, 768, 1440]) {
  for (const scheme of ['light', 'dark']) {
    for (const [name, [hash, prepare]] of Object.entries(STATES)) {
      if (!`${name}-${width}-${scheme}`.includes(only)) continue;
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme, offline: true });
      const page = await context.newPage();
      await page.goto(real + hash);
      await page.waitForSelector('main h1');
      await prepare?.(page);
      await page.waitForTimeout(hash.startsWith('#/') ? 300 : 1500);
      const wrong = await page.evaluate(() =>
        [...document.querySelectorAll('body *')]
          .filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1 && !one.closest('svg, .visually-hidden') && getComputedStyle(one).display !== 'inline')
          .map((one) => `${one.tagName.toLowerCase()}.${one.className} ${one.scrollWidth} > ${one.clientWidth}`),
      );
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      console.log([`${name}-${width}-${scheme}`, `${height} px`, ...wrong.slice(0, 5)].join('; '));
      await page.screenshot({ path: path.join(folder, `${name}-${width}-${scheme}.png`), fullPage: true });
      await context.close();
    }
  }
}
await browser.close();

// Asks the rules module under Node: RULES=rules.wasm node --test tests/rules.spec.mjs
//
// The drawings are compared with their recorded hashes. BROADAXE names the command, whose answers are then compared too; CASES is a file of
// lines that `cargo run -p broadaxe-testing --example cases` prints.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { asker } from './asker.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const { exports } = new WebAssembly.Instance(new WebAssembly.Module(fs.readFileSync(process.env.RULES)), {});

const ask = asker(exports);

function command(args) {
  const ran = spawnSync(process.env.BROADAXE, args, { encoding: 'utf8' });
  if (ran.error) throw ran.error;
  return ran.stdout;
}

const states = fs.readFileSync(path.join(here, 'states.txt'), 'utf8').split('\n').filter((line) => line && !line.startsWith('# '));

test(`${states.length} states are drawn as recorded, and answered as by the command`, () => {
  const golden = fs.readFileSync(path.join(here, 'states.golden.txt'), 'utf8').trim().split('\n');
  for (const [at, state] of states.entries()) {
    const address = state.split(' ')[0];
    const answer = ask(`ask ${address}`);
    assert.equal(answer.address, address);
    const svg = answer.chosen.drawing?.svg ?? '';
    assert.equal(`${createHash('sha256').update(svg).digest('hex').slice(0, 16)} ${state}`, golden[at]);
    if (process.env.BROADAXE) {
      const shapes = decodeURIComponent(address.split('&')[0].replaceAll('+', ' ')).split(' ');
      assert.deepEqual(answer.compare, JSON.parse(command(['compare', '--json', '--', ...shapes])), state);
    }
  }
});

test('all cases of the rules', { skip: !process.env.CASES && 'CASES names no file' }, () => {
  const cases = fs.readFileSync(process.env.CASES, 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(cases.length > 1000);
  for (const { id, address, want } of cases) {
    const { chosen } = ask(`ask ${address}`);
    const got = chosen?.json.shape ? { shape: chosen.json.shape, strides: chosen.json.operands.map((one) => one.strides) } : null;
    assert.deepEqual(got && got.shape, want && want.shape, id);
    if (want && !want.split) assert.deepEqual(got.strides, want.strides, id);
  }
});

test('addresses that are not one are answered with a sentence', () => {
  for (const address of ['2,,3', '2&rule=nump', '2&axis=1', '%FF', '', '2+'.repeat(100), '9'.repeat(400)]) {
    assert.match(ask(`ask ${address}`).error, /\w/, address);
  }
  assert.match(ask('what').error, /no request/);
});

test('shapes of many open dims do not take long', () => {
  const shape = Array.from({ length: 32 }, (_, k) => `n${k}`).join(',');
  const start = performance.now();
  assert.ok(ask(`ask ${shape}+${shape}`).compare);
  assert.ok(performance.now() - start < 10_000);
});

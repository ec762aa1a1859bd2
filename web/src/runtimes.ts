/** What each runtime does with a broadcasting node of these shapes. The check module answers it. */

import { h, swap, tuple, type Child } from './dom.ts';
import type { Counterexample, Runtimes, Target } from './protocol.ts';
import { checker, hasCheck } from './checker.ts';

/** The targets by their names. The check module lists them. */
export let known: Target[] = [];
let listed: Promise<void> | undefined;
export const listTargets = (): Promise<void> =>
  (listed ??= checker.ask<Target[]>({ do: 'targets' }).then(
    (targets) => void (known = targets),
    (error: unknown) => {
      listed = undefined;
      throw error;
    },
  ));

/** The name of a target, for people: `Core ML`, `LiteRT 2.1.3`, `rank up to 4`. */
export function titleOf(name: string): string {
  const [base = name, version] = name.split('@');
  const rank = /^rank<=(\d+)$/.exec(base)?.[1];
  const title = known.find((one) => one.name === (rank === undefined ? base : 'rank<=N') || one.aliases.includes(base))?.title ?? base;
  return (rank === undefined ? title : title.replace('N', rank)) + (version === undefined ? '' : ` ${version}`);
}

/** A sentence of ours with the names of targets as people know them. */
export const titled = (text: string): string => text.replace(/[\w<=@.-]*\w/g, (word) => titleOf(word));

const ORDER = ['differs', 'refused', 'guarded', 'unsupported', 'unknown'];

/** A verdict in the word that people read. */
export const shownVerdict = (verdict: string): string => (verdict === 'guarded' ? 'depends on size' : verdict);

/** Why a runtime does something else, without its name in front and the shapes, which are on the page already. */
function reason({ target, reason: text }: Runtimes['rows'][number]): string {
  const short = text.replace(/: broadcast of .*? under [^:]*: /, ': ');
  return short.startsWith(`${target} `) ? short.slice(target.length + 1) : short;
}

/** How it is known, in the words of the command: what was tested is an engine, and the page of the target names the tests. */
function evidence(kind: string | null, source: string | null): string {
  if (kind === 'run here') return `tested with ${source?.split('; ')[0] ?? 'the runtime'}`;
  return [kind, source].filter((one) => one !== null && one !== '').join(': ');
}

/** `element (1, 0): reads b(0, 0) instead of b(1, 0)`. */
function reading(example: Counterexample): string {
  const changed = example.reads.flatMap((read, at) => {
    const there = example.target_reads[at];
    const letter = String.fromCharCode(97 + at);
    return there !== undefined && there.join() !== read.join() ? [`reads ${letter}${tuple(there)} instead of ${letter}${tuple(read)}`] : [];
  });
  return `element ${tuple(example.element)} ${changed.join(' and ') || `is ${example.there} instead of ${example.here}`}`;
}

export function runtimesSection(): { element: HTMLElement; show: (shapes: string[] | null) => void } {
  const body = h('div', { class: 'runtimes-body' });
  const element = h('section', { class: 'runtimes', 'aria-labelledby': 'runtimes-title' }, h('h2', { id: 'runtimes-title', class: 'section-title' }, 'What runtimes do'), body);
  let shapes: string[] | null = null;
  let constants = [false, true];
  let turn = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (): Promise<void> => {
    const asked = shapes;
    turn += 1;
    const mine = turn;
    if (asked === null) return;
    try {
      await listTargets();
      if (mine !== turn) return;
      const answer = await checker.ask<Runtimes>({ do: 'runtimes', shapes: asked, constants });
      if (mine !== turn) return;
      if (answer.error !== undefined) swap(body, options(), h('p', { class: 'note' }, `${answer.error}.`));
      else swap(body, options(), table(answer));
    } catch (error) {
      if (mine === turn) swap(body, options(), h('p', { class: 'message' }, error instanceof Error ? error.message : String(error)));
    }
  };

  const options = (): HTMLElement =>
    h(
      'div',
      { class: 'runtimes-options' },
      h('p', { class: 'help' }, 'One ', h('code', {}, 'Add'), ' of an ONNX model with these shapes, compared with ONNX itself. Runtimes treat constants differently.'),
      h(
        'fieldset',
        { class: 'inline-fieldset' },
        h('legend', {}, 'Constants'),
        ['a', 'b'].map((letter, at) => {
          const box = h('input', { type: 'checkbox', id: `constant-${letter}`, 'data-key': `constant-${letter}` });
          box.checked = constants[at] ?? false;
          box.addEventListener('change', () => {
            constants = constants.map((one, which) => (which === at ? box.checked : one));
            void ask();
          });
          return h('label', { for: box.id, class: 'check-label' }, box, letter);
        }),
      ),
    );

  /** The runtimes that do something else come first, each with its reason. The others are one line for each place where models run. */
  const table = (answer: Runtimes): HTMLElement => {
    const placeOf = (row: Runtimes['rows'][number]): string | undefined => known.find((one) => one.name === row.target)?.deployment;
    const rows = answer.rows.filter((row) => placeOf(row) !== 'Constraints');
    const others = rows.filter((row) => row.verdict !== 'same').sort((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
    const same = rows.filter((row) => row.verdict === 'same');
    const alike = new Map<string, Runtimes['rows']>();
    for (const row of others) {
      const key = JSON.stringify([row.verdict, reason(row), row.counterexample]);
      alike.set(key, [...(alike.get(key) ?? []), row]);
    }
    const isAll = (some: Runtimes['rows']): boolean => some.length === rows.length && rows.length > 1;
    const name = (row: Runtimes['rows'][number]): Child => [row.title, row.version && h('span', { class: 'quiet' }, ` ${row.version}`)];
    const places = [...new Set(same.map(placeOf))].map((place) => [place, same.filter((row) => placeOf(row) === place)] as const);
    return h(
      'div',
      { class: 'card runtimes-answer' },
      others.length > 0 &&
        h(
          'ul',
          { class: 'runtime-list' },
          [...alike.values()].map((rows) => {
            const row = rows[0] as Runtimes['rows'][number];
            return h(
              'li',
              {},
              h('span', {}, h('span', { class: `badge v-${ORDER.includes(row.verdict) ? row.verdict : 'unknown'}` }, shownVerdict(row.verdict))),
              h('b', {}, isAll(rows) ? `All ${rows.length} runtimes` : rows.map((one, at) => [at > 0 ? ', ' : '', name(one)])),
              h('div', {}, reason(row), row.counterexample && h('span', { class: 'example-line' }, reading(row.counterexample))),
              rows.length === 1
                ? h('div', { class: 'source' }, evidence(row.evidence, row.source))
                : h('details', { class: 'source', 'data-key': `evidence-${row.target}` }, h('summary', {}, isAll(rows) ? 'The runtimes, and evidence' : 'Evidence'), h('ul', {}, rows.map((one) => h('li', {}, `${one.title}: ${evidence(one.evidence, one.source)}`)))),
            );
          }),
        ),
      same.length > 0 &&
        h(
          'div',
          { class: 'same-line' },
          h('p', {}, h('span', { class: 'badge v-same' }, 'same'), ` on ${same.length} of ${rows.length}`),
          h('dl', {}, places.map(([place, there]) => h('div', {}, h('dt', {}, place), h('dd', {}, there.map((row, at) => [at > 0 ? ', ' : '', name(row)]))))),
        ),
    );
  };

  return {
    element,
    show: (wanted) => {
      shapes = wanted;
      element.hidden = !hasCheck() || wanted === null;
      turn += 1;
      clearTimeout(timer);
      if (wanted !== null && hasCheck()) timer = setTimeout(() => void ask(), 120);
    },
  };
}

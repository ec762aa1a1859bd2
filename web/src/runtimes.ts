/** What each runtime does with a broadcasting node of these shapes. The check module answers it. */

import { announce, h, scrollable, swap, type Child } from './dom.ts';
import type { Counterexample, Runtimes } from './protocol.ts';
import { checker, hasCheck } from './checker.ts';

/** What ncnn's two targets are called: its own rule meets users in the second one only. */
const SHOWN: Record<string, string> = { ncnn: 'ncnn (via pnnx)', 'ncnn-param': 'ncnn (own .param)' };

/** The name of a target, for people. */
export const shownTarget = (name: string): string => SHOWN[name] ?? name;

const ORDER = ['differs', 'refused', 'guarded', 'unsupported', 'unknown'];

/** How it is known, in the words of the command. */
function evidence(kind: string | null, source: string | null): string {
  if (kind === 'run here') return `tested with ${source ?? 'the runtime'}`;
  return [kind, source].filter((one) => one !== null && one !== '').join(': ');
}

/** `element (1, 0): reads b(0, 0) instead of b(1, 0)`. */
function reading(example: Counterexample): string {
  const tuple = (at: number[]): string => (at.length === 1 ? `(${at[0]},)` : `(${at.join(', ')})`);
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
  let near = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const ask = async (): Promise<void> => {
    const asked = shapes;
    turn += 1;
    const mine = turn;
    if (asked === null) return;
    try {
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

  /** The runtimes that do something else come first, each with its reason. The others are one line. */
  const table = (answer: Runtimes): HTMLElement => {
    const others = answer.rows.filter((row) => row.verdict !== 'same');
    const same = answer.rows.filter((row) => row.verdict === 'same');
    const name = (row: Runtimes['rows'][number]): Child => [shownTarget(row.target), row.version && h('span', { class: 'quiet' }, ` ${row.version}`)];
    return h(
      'div',
      { class: 'runtimes-answer' },
      others.length > 0 &&
        scrollable(
          h(
            'div',
            { class: 'table-box' },
            h(
              'table',
              { class: 'table' },
              h('thead', {}, h('tr', {}, ['Runtime', 'Verdict', 'Why', 'Evidence'].map((title) => h('th', { scope: 'col' }, title)))),
              h(
                'tbody',
                {},
                [...others]
                  .sort((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict))
                  .map((row) =>
                    h(
                      'tr',
                      {},
                      h('th', { scope: 'row' }, name(row)),
                      h('td', {}, h('span', { class: `badge v-${ORDER.includes(row.verdict) ? row.verdict : 'unknown'}` }, row.verdict)),
                      h('td', {}, row.reason.startsWith(`${row.target} `) ? row.reason.slice(row.target.length + 1) : row.reason, row.counterexample && h('span', { class: 'example-line' }, reading(row.counterexample))),
                      h('td', { class: 'quiet' }, evidence(row.evidence, row.source)),
                    ),
                  ),
              ),
            ),
          ),
          'runtimes',
        ),
      same.length > 0 &&
        h('p', { class: 'same-line' }, h('span', { class: 'badge v-same' }, 'same'), ` on ${same.length} runtimes: `, same.map((row, at) => [at > 0 ? ', ' : '', h('code', {}, name(row))])),
    );
  };

  const button = (): HTMLElement =>
    h(
      'p',
      {},
      h(
        'button',
        {
          type: 'button',
          class: 'button',
          'data-key': 'runtimes',
          onclick: () => {
            near = true;
            announce('Unpacking the check module');
            swap(body, options(), h('p', { class: 'note' }, 'Unpacking the check module …'));
            void ask();
          },
        },
        'Show what runtimes do',
      ),
    );

  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting) || near || shapes === null) return;
    near = true;
    observer.disconnect();
    void ask();
  });
  if (hasCheck()) observer.observe(element);

  return {
    element,
    show: (wanted) => {
      shapes = wanted;
      element.hidden = !hasCheck() || wanted === null;
      turn += 1;
      if (wanted === null) return;
      if (!near) swap(body, button());
      else {
        clearTimeout(timer);
        timer = setTimeout(() => void ask(), 120);
      }
    },
  };
}

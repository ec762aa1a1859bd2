/** The answer about shapes: a card per meaning, the element on which rules differ, and the rules that reject the shapes. */

import { copyButton, drawing, h, scrollable } from './dom.ts';
import { differing, elementGrids, elementsOf } from './elements.ts';
import type { Answer, Difference, Meaning, Reject, RuleUse } from './protocol.ts';

export interface CardOptions {
  /** Chooses a rule. Rules are text if it is missing. */
  choose?: (rule: string) => void;
  /** The rules that people asked about: a card is titled with the one that it has. */
  asked?: string[];
  /** The heading level of a card. */
  level?: 'h3' | 'h4';
}

function flatOf(element: number[], shape: number[]): number {
  return element.reduce((flat, one, axis) => flat * (shape[axis] ?? 1) + one, 0);
}

function ruleChip(use: RuleUse, answer: Answer, options: CardOptions): HTMLElement {
  const text = [h('span', {}, use.name), use.rule.length > use.name.length && h('span', { class: 'chip-parameter' }, use.rule.slice(use.name.length))];
  if (!options.choose) return h('span', { class: 'chip' }, text);
  const pressed = answer.chosen.rule === use.rule && !answer.chosen.is_default;
  return h(
    'button',
    { type: 'button', class: 'chip', 'aria-pressed': pressed ? 'true' : 'false', title: use.summary, 'data-key': `rule-${use.rule}`, onclick: () => options.choose?.(pressed ? '' : use.rule) },
    text,
  );
}

/** The rules under the same conditions in one line. */
function guards(meaning: Meaning): HTMLElement | null {
  const lines = new Map<string, string[]>();
  for (const use of meaning.rules) {
    if (!use.guards) continue;
    const text = use.guards.length > 0 ? use.guards.join(' and ') : 'for all sizes';
    lines.set(text, [...(lines.get(text) ?? []), use.rule]);
  }
  if (lines.size === 0) return null;
  return h(
    'dl',
    { class: 'guards' },
    [...lines].map(([text, names]) => [h('div', {}, h('dt', {}, h('code', {}, text)), h('dd', {}, names.join(', ')))]),
  );
}

/** The rule of a meaning that people asked about. */
export function askedRule(answer: Answer, meaning: Meaning, options: CardOptions): string | undefined {
  const asked = answer.chosen.is_default ? (options.asked ?? []) : [answer.chosen.rule, ...(options.asked ?? [])];
  return asked.find((rule) => meaning.rules.some((use) => use.rule === rule));
}

/** Puts another rule of the same meaning into the title of a drawing. */
function titled(box: HTMLElement, rule: string | undefined): HTMLElement {
  if (rule === undefined) return box;
  const title = [...box.querySelectorAll('svg > text')].find((text) => / under \S/.test(text.textContent ?? ''));
  if (title) title.textContent = (title.textContent ?? '').replace(/ under .*$/, ` under ${rule}`);
  return box;
}

export function meaningCard(answer: Answer, meaning: Meaning, options: CardOptions): HTMLElement {
  const uses = meaning.rules;
  const chosen = uses.find((use) => use.rule === answer.chosen.rule);
  const elements = uses.map((use) => elementsOf(answer, use.rule)).find((one) => one !== null) ?? null;
  const first = answer.meanings[0];
  const other = meaning === first ? answer.meanings[1] : first;
  const others = other?.rules.map((use) => elementsOf(answer, use.rule)).find((one) => one !== null) ?? null;
  const marked = differing(elements, others);
  const start = answer.differences.find((one) => [one.left.rule, one.right.rule].some((rule) => uses.some((use) => use.rule === rule)));
  const at = start?.element && elements && start.element.length === elements.shape.length ? flatOf(start.element, elements.shape) : null;
  const several = answer.meanings.length > 1;
  const heading = h(options.level ?? 'h3', {}, several && h('span', { class: 'number' }, h('span', { class: 'visually-hidden' }, 'Meaning '), meaning.number), h('code', { class: 'shape' }, meaning.result));
  return h(
    'article',
    { class: `card meaning${chosen && !answer.chosen.is_default ? ' chosen' : ''}` },
    h('header', {}, heading, h('div', { class: 'chips' }, uses.map((use) => ruleChip(use, answer, options)))),
    guards(meaning) ?? h('div'),
    scrollable(titled(drawing(meaning.drawing), askedRule(answer, meaning, options)), `drawing of ${uses[0]?.rule ?? ''}`),
    elements ? elementGrids(elements, marked, at !== null && at < elements.sources.length ? at : null, uses[0]?.rule ?? '') : h('div'),
    !options.choose
      ? h('div')
      : h(
        'details',
        { class: 'sources', 'data-key': `sources-${meaning.number}` },
        h('summary', {}, uses.length === 1 ? 'The rule and its source' : `The ${uses.length} rules and their sources`),
        h('dl', {}, uses.map((use) => h('div', {}, h('dt', {}, h('code', {}, use.rule)), h('dd', {}, `${use.summary}. `, h('span', { class: 'source' }, use.source))))),
      ),
  );
}

/** Both sums of the first element on which two rules differ. */
export function differenceBanner(answer: Answer, difference: Difference, level: 'h3' | 'h4' = 'h3'): HTMLElement {
  const side = (one: { rule: string; sentence: string }): HTMLElement => {
    const meaning = answer.meanings.find((each) => each.rules.some((use) => use.rule === one.rule));
    const cut = one.sentence.lastIndexOf(' = ');
    const value = cut < 0 ? '' : one.sentence.slice(cut + 3);
    return h(
      'div',
      { class: 'side' },
      h('div', { class: 'side-rule' }, meaning && h('span', { class: 'number small' }, meaning.number), h('code', {}, one.rule)),
      cut < 0
        ? h('p', { class: 'side-text' }, one.sentence)
        : [h('p', { class: 'side-value' }, value), h('p', { class: 'side-text' }, h('code', {}, one.sentence.slice(0, cut)))],
    );
  };
  // Results without elements differ in shape alone.
  const element = difference.element === null ? '' : difference.element.length === 1 ? `(${difference.element[0]},)` : `(${difference.element.join(', ')})`;
  return h(
    'section',
    { class: 'difference' },
    h(level, {}, [difference.left, difference.right].every((one) => one.sentence.includes(' = ')) ? ['Element ', h('code', {}, element), ' differs'] : 'The results have different shapes'),
    h('div', { class: 'sides' }, side(difference.left), h('span', { class: 'unequal', role: 'img', 'aria-label': 'is not equal to' }, '≠'), side(difference.right)),
  );
}

/** A message without the shapes and the rule, which are on the page already. */
export function because(message: string): string {
  return message.replace(/^broadcast of .*? under [^:]*: /, '');
}

export function rejectList(rejects: Reject[], options: CardOptions): HTMLElement {
  return h(
    'ul',
    { class: 'rejects' },
    rejects.map((reject) =>
      h(
        'li',
        {},
        h(
          'details',
          { 'data-key': `reject-${reject.rule}` },
          h(
            'summary',
            {},
            h('code', {}, reject.rule),
            h('span', { class: `why${reject.is_undecided ? ' open' : ''}` }, because(reject.message)),
          ),
          h(
            'div',
            { class: 'reject-body' },
            reject.drawing && lazyDrawing(reject.drawing, `drawing of ${reject.rule}`),
            h('p', { class: 'source' }, `${reject.name}: ${reject.summary}. ${reject.source}`),
            options.choose && h('button', { type: 'button', class: 'button', 'data-key': `choose-${reject.rule}`, onclick: () => options.choose?.(reject.rule) }, `Choose ${reject.rule}`),
          ),
        ),
      ),
    ),
  );
}

/** A drawing that is made when it is about to be seen. */
export function lazyDrawing(drawn: { svg: string }, label: string): HTMLElement {
  const [, width = '300', height = '180'] = /width="(\d+)" height="(\d+)"/.exec(drawn.svg) ?? [];
  const box = h('div', { class: 'drawing waiting', style: `width:${width}px;height:${height}px;max-width:100%` });
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      box.replaceWith(scrollable(drawing(drawn), label));
    },
    { rootMargin: '400px' },
  );
  observer.observe(box);
  return box;
}

/** The texts that can be copied, with a preview. */
export function copyPanel(texts: [string, string, string][]): HTMLElement {
  const preview = h('pre', { class: 'preview', tabindex: 0, role: 'tabpanel', id: 'preview', 'aria-label': 'Text to copy' });
  let current = texts[0];
  const tabs = texts.map(([id, label, text], at) =>
    h('button', { type: 'button', role: 'tab', id: `tab-${id}`, class: 'tab', 'aria-selected': at === 0 ? 'true' : 'false', 'aria-controls': 'preview', tabindex: at === 0 ? 0 : -1, 'data-key': `tab-${id}`, onclick: () => show(at) }, label, text === '' && ' '),
  );
  const show = (at: number): void => {
    current = texts[at];
    tabs.forEach((tab, one) => {
      tab.setAttribute('aria-selected', one === at ? 'true' : 'false');
      tab.tabIndex = one === at ? 0 : -1;
    });
    chosenTab = current?.[0] ?? '';
    preview.textContent = current?.[2] ?? '';
  };
  const list = h('div', { role: 'tablist', class: 'tabs', 'aria-label': 'Format' }, tabs);
  list.addEventListener('keydown', (event) => {
    const at = tabs.findIndex((tab) => tab.getAttribute('aria-selected') === 'true');
    const next = event.key === 'ArrowRight' ? (at + 1) % tabs.length : event.key === 'ArrowLeft' ? (at + tabs.length - 1) % tabs.length : event.key === 'Home' ? 0 : event.key === 'End' ? tabs.length - 1 : -1;
    if (next < 0) return;
    show(next);
    tabs[next]?.focus();
    event.preventDefault();
  });
  show(Math.max(0, texts.findIndex(([id]) => id === chosenTab)));
  return h('div', { class: 'copy-panel' }, h('div', { class: 'copy-head' }, list, copyButton('Copy', () => current?.[2] ?? '', 'Text', 'button')), preview);
}
let chosenTab = '';

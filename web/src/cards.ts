/** The answer about shapes: a card per meaning, and the rules that reject the shapes. */

import { append, copyButton, drawing, h, tuple, type Child } from './dom.ts';
import { differing, elementGrids, elementsOf } from './elements.ts';
import type { Answer, Difference, Meaning, Reject, RuleUse } from './protocol.ts';

export interface CardOptions {
  /** Chooses a rule. Rules are text if it is missing. */
  choose?: (rule: string) => void;
  /** The rules that people asked about. */
  asked?: string[];
  /** The element on which this meaning differs from another. */
  difference?: Difference | undefined;
}

function flatOf(element: number[], shape: number[]): number {
  return element.reduce((flat, one, axis) => flat * (shape[axis] ?? 1) + one, 0);
}

/** The name that people know a rule by, with its parameters: `OpenVINO pdpd axis=0`. */
function shownRule(use: RuleUse): string {
  return use.title + use.rule.slice(use.name.length);
}

function ruleChip(use: RuleUse, answer: Answer, options: CardOptions): HTMLElement {
  const text = [h('span', {}, use.title), use.rule.length > use.name.length && h('span', { class: 'chip-parameter' }, use.rule.slice(use.name.length))];
  const pressed = answer.chosen.rule === use.rule && !answer.chosen.is_default;
  if (!options.choose) return h('span', { class: `chip${options.asked?.includes(use.rule) ? ' asked' : ''}` }, text);
  return h(
    'button',
    { type: 'button', class: 'chip', 'aria-pressed': pressed ? 'true' : 'false', title: `${use.rule}: ${use.summary}`, 'data-key': `rule-${use.rule}`, onclick: () => options.choose?.(pressed ? '' : use.rule) },
    text,
  );
}

/** The rules under the same conditions in one line. */
function guards(meaning: Meaning): HTMLElement | null {
  const lines = new Map<string, string[]>();
  for (const use of meaning.rules) {
    if (!use.guards) continue;
    const text = use.guards.length > 0 ? use.guards.join(' and ') : 'for all sizes';
    lines.set(text, [...(lines.get(text) ?? []), shownRule(use)]);
  }
  if (lines.size === 0) return null;
  return h(
    'dl',
    { class: 'guards' },
    [...lines].map(([text, names]) => [h('div', {}, h('dt', {}, h('code', {}, text)), h('dd', {}, names.join('; ')))]),
  );
}

/** The difference that a meaning has a side of. */
export function differenceOf(meaning: Meaning, differences: Difference[]): Difference | undefined {
  return differences.find((one) => [one.left.rule, one.right.rule].some((rule) => meaning.rules.some((use) => use.rule === rule)));
}

/** What a meaning computes for the first element on which it differs from another. */
function value(meaning: Meaning, difference: Difference): HTMLElement {
  const side = [difference.left, difference.right].find((one) => meaning.rules.some((use) => use.rule === one.rule)) ?? difference.left;
  const cut = side.sentence.lastIndexOf(' = ');
  if (cut < 0) return h('p', { class: 'side' }, side.sentence);
  const [reads = '', sum] = side.sentence.slice(0, cut).split(' = ');
  return h('p', { class: 'side' }, h('b', {}, side.sentence.slice(cut + 3)), h('span', {}, `element ${tuple(difference.element ?? [])}: ${reads}`, sum !== undefined && [' ', h('span', { class: 'whole' }, `= ${sum}`)]));
}

export function meaningCard(answer: Answer, meaning: Meaning, options: CardOptions): HTMLElement {
  const uses = meaning.rules;
  const chosen = uses.find((use) => use.rule === answer.chosen.rule);
  const elements = uses.map((use) => elementsOf(answer, use.rule)).find((one) => one !== null) ?? null;
  const first = answer.meanings[0];
  const other = meaning === first ? answer.meanings[1] : first;
  const others = other?.rules.map((use) => elementsOf(answer, use.rule)).find((one) => one !== null) ?? null;
  const marked = differing(elements, others);
  const start = differenceOf(meaning, answer.differences);
  const at = start?.element && elements && start.element.length === elements.shape.length ? flatOf(start.element, elements.shape) : null;
  const several = answer.meanings.length > 1;
  const heading = h('h3', {}, several && h('span', { class: 'number' }, h('span', { class: 'visually-hidden' }, 'Meaning '), meaning.number), h('code', { class: 'shape' }, meaning.result));
  return h(
    'article',
    { class: `card meaning${chosen && !answer.chosen.is_default ? ' chosen' : ''}` },
    h('header', {}, heading, h('div', { class: 'chips' }, uses.map((use) => ruleChip(use, answer, options)))),
    guards(meaning) ?? (options.difference ? value(meaning, options.difference) : h('div')),
    h('div', { class: 'pictures' }, drawing(meaning.drawing), elements && elementGrids(elements, marked, at !== null && at < elements.sources.length ? at : null)),
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

/** A message without the shapes and the rule, which are on the page already. */
export function because(message: string): string {
  return message.replace(/^broadcast of .*? under [^:]*: /, '');
}

/** A box that can be opened. Its contents are made when it is opened first. */
export function opening(properties: Record<string, string>, summary: Child[], make: () => Child): HTMLDetailsElement {
  const box = h('details', properties, h('summary', {}, summary));
  box.addEventListener('toggle', () => {
    if (box.open && box.children.length === 1) append(box, make());
  });
  return box;
}

/** Up to this many rules have a line each. */
const FEW = 4;

/** The rules with the same cause: what is wrong with the shapes, before what the rule wants in its place, and the same drawing but for its title. */
function causes(rejects: Reject[]): Reject[][] {
  if (rejects.length <= FEW) return rejects.map((one) => [one]);
  const found = new Map<string, Reject[]>();
  for (const reject of rejects) {
    const cause = JSON.stringify([reject.is_undecided, because(reject.message).split('; ')[0], reject.drawing?.text.split('\n').filter((line) => /^ {2}(axis|[a-z]) +/.test(line))]);
    found.set(cause, [...(found.get(cause) ?? []), reject]);
  }
  return [...found.values()];
}

export function rejectList(rejects: Reject[], options: CardOptions): HTMLElement {
  const choice = (reject: Reject): Child => options.choose && h('button', { type: 'button', class: 'button', 'data-key': `choose-${reject.rule}`, onclick: () => options.choose?.(reject.rule) }, 'Choose this rule');
  const source = (reject: Reject): Child => h('p', { class: 'source' }, `${reject.rule}: ${reject.summary}. ${reject.source}`);
  return h(
    'ul',
    { class: 'rejects' },
    causes(rejects).map((alike) => {
      const first = alike[0] as Reject;
      const messages = [...new Set(alike.map((one) => because(one.message)))];
      const why = messages.length === 1 ? messages[0] : because(first.message).split('; ')[0];
      return h(
        'li',
        {},
        opening({ 'data-key': `reject-${first.rule}` }, [h('b', {}, alike.map(shownRule).join('; ')), h('span', { class: `why${first.is_undecided ? ' open' : ''}` }, why)], () =>
          h(
            'div',
            { class: 'reject-body' },
            first.drawing && drawing(first.drawing),
            alike.length === 1 ? [source(first), choice(first)] : h('dl', {}, alike.map((one) => h('div', {}, h('dt', {}, shownRule(one)), h('dd', {}, because(one.message), '.'), h('dd', {}, source(one)), h('dd', {}, choice(one))))),
          ),
        ),
      );
    }),
  );
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

/** The findings of a check: a card for each node, with what the runtimes do that differ there. */

import { opening } from './cards.ts';
import { checker } from './checker.ts';
import { announce, count, drawing, h, save, swap, type Child } from './dom.ts';
import { bytesOf, type Checked, type Drawing, type Extracted, type FindingDetail, type Group, type Row } from './protocol.ts';
import { titled, titleOf } from './runtimes.ts';
import { plain, write } from './state.ts';

/** The page that explains the codes of findings. */
const REFERENCE = 'https://github.com/broadaxe/broadaxe/blob/main/docs/reference';
const CODES = `${REFERENCE}/codes.md`;

/** Cards, nodes and names that are added to the page at a time. */
export const BATCH = 50;
export const ROWS = 200;
const NAMES = 8;
/** What the module calls a runtime, so that all that do the same say the same. */
const ANY = /the runtime\b/g;

/** Puts groups of findings about one node together. */
export function byNode(groups: Group[]): Group[][] {
  const nodes = new Map<string, Group[]>();
  for (const group of groups) nodes.set(group.node, [...(nodes.get(group.node) ?? []), group]);
  return [...nodes.values()];
}

/** The runtimes of a group. */
export function targetsOf(group: Group, checked: Checked): string[] {
  return [...new Set(group.members.flatMap((at) => checked.record.findings[at]?.target ?? []))];
}

/** A card about one node. */
export function card(groups: Group[], checked: Checked): HTMLElement {
  const first = groups[0] as Group;
  const number = checked.record.findings[first.members[0] ?? -1]?.number;
  const [name = '', rest = ''] = first.node.split(/ (?=\([^()]*\), )/);
  const runs = groups.map((group) => ({ ...group, runtimes: targetsOf(group, checked).map(titleOf).join(', ') }));
  const codes = new Map(groups.map((group) => [group.code, group.name]));
  // `differs on`, and the runtimes of which that is said.
  const verbs = new Map<string, string[]>();
  for (const group of groups) {
    const names = targetsOf(group, checked);
    const verb = group.title.endsWith(names.join(', ')) ? group.title.slice(0, -names.join(', ').length).trim() : titled(group.title);
    verbs.set(verb, [...(verbs.get(verb) ?? []), ...(group.title.startsWith(verb) && group.title !== verb ? names.map(titleOf) : [])]);
  }
  const fixes = [...new Set(groups.flatMap((group) => group.fix ?? []))];
  return h(
    'article',
    { class: `card finding s-${first.severity}` },
    h(
      'header',
      {},
      h('h3', {}, h('code', {}, name), ' ', h('span', { class: 'quiet' }, rest)),
      h('span', { class: 'code-links' }, [...codes].map(([code, kind]) => h('a', { class: 'code-link', href: `${CODES}#${code.toLowerCase()}-${kind}`, rel: 'noopener noreferrer' }, code, ' ', kind))),
    ),
    h('ul', { class: 'consequences' }, [...verbs].map(([verb, names]) => h('li', {}, h('span', { class: `badge s-${first.severity}` }, verb), ' ', names.join(', ')))),
    detail(runs),
    fixes.map((fix) => h('div', { class: 'fix-line' }, h('b', {}, 'Fix'), h('span', {}, capital(fix).replace(/\.?$/, '.')))),
    h(
      'div',
      { class: 'members' },
      number !== undefined && h('button', { type: 'button', class: 'quiet-button', onclick: (event: Event) => void extract(number, event.currentTarget as HTMLElement) }, 'Download this node as a model'),
      askLink(first.rows),
      runs.map((group) => [
        group.also.length > 0 && h('p', { class: 'also' }, h('span', { class: 'quiet' }, `${groups.length > 1 ? `${group.runtimes}: the` : 'The'} same in ${count(group.members.length - 1, 'other node')}: `), group.also.slice(0, NAMES).map((one, at) => [at > 0 ? ', ' : '', h('code', {}, one)]), group.also.length > NAMES && `, and ${group.also.length - NAMES} more`),
        group.members.length > 1 && members(group, checked),
      ]),
    ),
  );
}

function members(group: Group, checked: Checked): HTMLElement {
  return opening({}, [`All ${group.members.length.toLocaleString('en')} findings`], () => {
    const body = h('div', { class: 'member-list' });
    batches(body, group.members, ROWS, (at) => {
      const finding = checked.record.findings[at];
      return opening({}, [h('code', {}, finding?.node || finding?.place), h('span', { class: 'quiet' }, ` ${finding?.op}, ${finding?.place}`)], () => {
        const inside = h('div', { class: 'member-body' }, h('p', { class: 'note' }, 'Reading …'));
        checker
          .ask<FindingDetail>({ do: 'finding', index: at })
          .then((answer) => swap(inside, answer.error === undefined ? detail([{ ...answer, why: '', runtimes: titleOf(finding?.target ?? '') }]) : h('p', { class: 'message' }, answer.error)))
          .catch((error: unknown) => swap(inside, h('p', { class: 'message' }, said(error))));
        return inside;
      });
    });
    return body;
  });
}

export function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** How something is known. The command names another command for more; here it is a link. */
function known(text: string): Child {
  const [, how = text, target] = /^(.*) \(see 'broadaxe targets ([\w-]+)'\)$/.exec(text) ?? [];
  return [capital(how), target && [' (', h('a', { href: `${REFERENCE}/targets/${target}.md`, rel: 'noopener noreferrer' }, 'all that is known'), ')'], '.'];
}

type Run = Pick<Group, 'rows' | 'notes' | 'drawings' | 'why'> & { runtimes: string };

/** What a node means and what runtimes do: what they have in common once, and then what each adds. */
function detail(runs: Run[]): Child {
  const named = (text: string): string => (runs.length === 1 ? text.replace(ANY, runs[0]?.runtimes ?? '') : text);
  const notesOf = (run: Run): string[] => run.notes.map((note) => JSON.stringify(note));
  const isShared = (note: string): boolean => runs.every((run) => notesOf(run).includes(note));
  const list = (notes: [string, string][]): Child => notes.length > 0 && h('dl', { class: 'notes' }, notes.map(([label, text]) => h('div', {}, h('dt', {}, capital(label), ': '), h('dd', {}, text, '.'))));
  const shared = (runs[0]?.notes ?? []).filter((note) => note[0] !== 'known' && isShared(JSON.stringify(note))).map(([label, text]) => [label, named(text)] as [string, string]);
  const evidence = runs.flatMap((run) => run.notes.filter(([label]) => label === 'known').map(([, text]): Child => [runs.length > 1 && `${run.runtimes}: `, known(text)]));
  // The first drawing of each is of this model; those with a second one also say what it reads.
  const drawn = new Map<string, { drawing: Drawing; names: string[] }>();
  const own = (runs.find((run) => run.drawings.length > 1) ?? runs[0])?.drawings[0];
  if (own) drawn.set('', { drawing: own, names: [] });
  for (const run of runs) for (const one of run.drawings.slice(1)) drawn.set(one.svg, { drawing: one, names: [...(drawn.get(one.svg)?.names ?? []), run.runtimes] });
  const reasons = new Map<string, Run[]>();
  for (const run of runs) reasons.set(run.why, [...(reasons.get(run.why) ?? []), run]);
  const rows = runs[0]?.rows ?? [];
  return h(
    'div',
    { class: 'finding-body' },
    drawn.size > 0 && h('div', { class: 'drawings' }, [...drawn.values()].map((one) => h('figure', {}, h('figcaption', {}, one.names.length === 0 ? 'In this model' : `On ${one.names.join(', ')}`), drawing(one.drawing)))),
    h(
      'div',
      { class: 'facts' },
      rows.length > 0 &&
        h(
          'dl',
          { class: 'rows' },
          rows.map((row, at) => {
            const labels = new Set(runs.flatMap((run) => (run.rows[at]?.name === row.name ? (run.rows[at]?.label ?? []) : [])));
            return h('div', {}, h('dt', {}, row.name), h('dd', {}, h('code', {}, row.shape), ' ', h('span', { class: 'quiet' }, row.origin)), [...labels].map((label) => h('dd', { class: 'label' }, capital(named(label)), '.')));
          }),
        ),
      list(shared),
      [...reasons].map(([why, of]) => {
        const own = of.flatMap((run) => run.notes.filter((note) => note[0] !== 'known' && !isShared(JSON.stringify(note))));
        return (why !== '' || own.length > 0) && h('section', { class: 'run' }, h('h4', {}, of.map((run) => run.runtimes).join(', ')), why !== '' && h('p', {}, capital(why), '.'), list(own));
      }),
      evidence.length === 1 ? h('p', { class: 'quiet' }, evidence) : evidence.length > 1 && h('details', { class: 'quiet' }, h('summary', {}, 'Evidence'), h('ul', {}, evidence.map((text) => h('li', {}, text)))),
    ),
  );
}

/** A link to what the rules say about the shapes of a node. */
function askLink(rows: Row[]): Child {
  const shapes = rows.slice(0, -1).map((row) => row.shape);
  if (shapes.length < 2 || shapes.some((shape) => !/^\([\w, .?]*\)$/.test(shape))) return null;
  return h('a', { class: 'quiet-button', href: write({ part: 'ask', address: shapes.map(plain).join('+') }) }, 'Open these shapes in Ask');
}

/** Downloads a node as a model. */
export async function extract(number: number, button: HTMLElement): Promise<void> {
  try {
    const answer = await checker.ask<Extracted>({ do: 'extract', number });
    if (answer.error !== undefined) throw new Error(answer.error);
    save(answer.name, new Blob([bytesOf(answer.bytes)]));
    announce(`${answer.name} downloaded`, 0);
  } catch (error) {
    button.after(h('span', { class: 'message' }, ` ${said(error)}`));
    announce(said(error), 0);
  }
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Adds elements in batches: the next one when the end of the list comes into view. */
export function batches<T>(parent: HTMLElement, items: T[], step: number, make: (item: T) => HTMLElement): void {
  let at = 0;
  const tag = parent.tagName === 'TBODY' ? 'tr' : 'div';
  const more = (): void => {
    const end = Math.min(items.length, at + step);
    for (; at < end; at += 1) parent.append(make(items[at] as T));
    if (at >= items.length) return;
    const button = h('button', { type: 'button', class: 'button' }, `Show more (${(items.length - at).toLocaleString('en')} left)`);
    const end_ = tag === 'tr' ? h('tr', {}, h('td', { colspan: 5 }, button)) : h('div', { class: 'more' }, button);
    const next = (): void => {
      observer.disconnect();
      end_.remove();
      more();
    };
    button.addEventListener('click', next);
    const observer = new IntersectionObserver((entries) => {
      if (end_.isConnected && entries.some((entry) => entry.isIntersecting) && document.activeElement !== button) next();
    });
    parent.append(end_);
    observer.observe(end_);
  };
  more();
}

/** Ask: what shapes mean under every rule. */

import { announce, copyButton, drawing, h, save, swap, tuple } from './dom.ts';
import { because, copyPanel, differenceOf, meaningCard, rejectList, type CardOptions } from './cards.ts';
import { elementGrids, elementsOf } from './elements.ts';
import { RuleFields, ShapeFields } from './fields.ts';
import { addressOfRule, ask, rules } from './rules.ts';
import { runtimesSection } from './runtimes.ts';
import { join, ruleOf, write, type AskState } from './state.ts';

/** What a first visit shows: the smallest shapes on which NumPy and ncnn differ. */
export const FIRST = '2,2+2';

const EXAMPLES: [string, string][] = [
  ['2,2+2', 'row or column?'],
  ['2,3,4+3,1', 'all agree'],
  ['3+3,1', 'an outer sum'],
  ['1,16,8,8+16', 'bias on NCHW'],
  ['8,3+8', 'one number per row'],
  ['n,4+3,4', 'open batch'],
  ['2,4+2,2', 'only ggml'],
  ['2,3,4,5+3,4&rule=pdpd&axis=1', 'axis=1'],
  ['3&rule=broadcast-to&target=4,2,3', 'broadcast_to'],
];

/** Whether others can open the address of this page. */
const isPublic = location.protocol === 'https:' || location.protocol === 'http:';

export class Ask {
  readonly element: HTMLElement;
  private readonly shapes = new ShapeFields(() => this.typed(), 'shape');
  private readonly rule = new RuleFields(rules, () => this.typed());
  private readonly answer = h('div', { class: 'answer' });
  private readonly more = h('div', { class: 'answer' });
  private shown: string | null = null;
  private readonly runtimes = runtimesSection();

  constructor(private readonly go: (state: AskState, push: boolean) => void) {
    this.element = h(
      'div',
      { class: 'ask' },
      h(
        'section',
        { class: 'query', 'aria-label': 'Question' },
        h('h1', {}, 'What do these shapes broadcast to?'),
        h('form', { class: 'query-form', onsubmit: (event: Event) => event.preventDefault() }, this.shapes.element, this.rule.element),
        h(
          'p',
          { class: 'help', id: 'shape-help' },
          'Sizes or names, separated by commas: ',
          h('code', {}, '2,3,4'),
          ', ',
          h('code', {}, 'n,4'),
          ', ',
          h('code', {}, '()'),
          ' for a scalar. Type ',
          h('kbd', {}, '+'),
          ' for the next operand.',
        ),
        h(
          'nav',
          { class: 'examples', 'aria-label': 'Examples' },
          EXAMPLES.map(([address, label]) =>
            h('a', { href: write({ part: 'ask', address }), class: `example${address.includes('&') ? '' : ' plain'}` }, h('code', {}, (address.split('&')[0] ?? '').replaceAll('+', ' + ')), h('span', {}, label)),
          ),
        ),
      ),
      this.answer,
      this.runtimes.element,
      this.more,
    );
  }

  show(state: AskState): void {
    const address = state.address === '' ? FIRST : state.address;
    this.rule.value = ruleOf(address);
    this.shapes.shapes = this.render(address);
  }

  focus(): void {
    this.shapes.focus(0);
  }

  private typed(): void {
    const typed = join({ shapes: this.shapes.shapes, ...this.rule.value });
    const operands = this.render(typed);
    // A blank in a field began the next operand.
    if (operands.length > this.shapes.shapes.length) this.shapes.divide(operands);
    this.go({ part: 'ask', address: join({ shapes: operands, ...this.rule.value }) }, false);
  }

  private choose(rule: string): void {
    const address = join({ shapes: this.shapes.shapes, ...(rule === '' ? { rule: '', parameters: {} } : addressOfRule(rule)) });
    this.go({ part: 'ask', address }, true);
  }

  /** Shows the answer to an address. Returns the texts of its operands. */
  private render(address: string): string[] {
    const answer = ask(address);
    if (address === this.shown) return answer.operands;
    this.shown = address;
    if (answer.error !== undefined) {
      swap(this.answer, h('section', { class: 'verdict none', 'aria-label': 'Answer' }, h('h2', {}, 'This cannot be read.'), h('p', { class: 'message' }, answer.error, '.')));
      this.more.replaceChildren();
      announce(answer.error, 1200);
      this.runtimes.show(null);
      return answer.operands;
    }
    const options: CardOptions = { choose: (rule) => this.choose(rule) };
    const canonical = answer.address ?? address;
    const link = (): string => location.href.split('#')[0] + write({ part: 'ask', address: canonical });
    const chosen = answer.chosen;
    const inCards = answer.meanings.some((meaning) => meaning.rules.some((use) => use.rule === chosen.rule));
    let heading = answer.heading;
    const shape = chosen.json?.shape;
    if (!inCards && chosen.error === undefined && shape) heading = `Under ${chosen.rule.split(' ')[0]} the result is ${tuple(shape)}.`;
    const elements = elementsOf(answer, chosen.rule);
    const svg = (inCards ? answer.meanings.find((meaning) => meaning.rules.some((use) => use.rule === chosen.rule))?.drawing : chosen.drawing) ?? chosen.drawing ?? answer.rejects.find((one) => one.rule === chosen.rule)?.drawing;
    const shown = chosen.drawing ?? answer.rejects.find((one) => one.rule === chosen.rule)?.drawing;
    const accepted = answer.meanings.reduce((sum, one) => sum + one.rules.length, 0);
    const elementsDiffer = new Set(answer.differences.map((one) => one.element?.join()));
    const difference = answer.differences[0];
    const title = !inCards ? 'Under other rules' : !difference ? (answer.meanings.length === 1 ? 'What they mean' : 'The meanings') : elementsDiffer.size > 1 ? 'The meanings' : difference.element === null ? 'The results have different shapes' : h('span', {}, 'Element ', h('code', {}, tuple(difference.element)), ' differs');
    const note = answer.is_open ? answer.note : difference && 'Each operand is filled with 0, 1, 2, … in row-major order.';
    swap(
      this.answer,
      h(
        'section',
        { class: `verdict ${answer.kind}`, 'aria-label': 'Answer' },
        h('div', { class: 'verdict-line' }, h('h2', {}, heading), h('div', { class: 'actions' }, isPublic && copyButton('Copy link', link, 'Link'), copyButton('Copy Markdown', () => (isPublic ? `${answer.copy.markdown}\n[Open these shapes](${link()})\n` : answer.copy.markdown), 'Markdown'))),
        note && h('p', { class: 'note' }, note),
      ),
      !inCards &&
        h(
          'section',
          { class: 'card chosen-rule', 'aria-labelledby': 'chosen-title' },
          h('header', {}, h('h2', { id: 'chosen-title' }, 'Under ', h('code', {}, chosen.rule)), chosen.error !== undefined && h('span', { class: 'badge bad' }, 'rejects these shapes')),
          chosen.error !== undefined && h('p', {}, because(chosen.error), '.'),
          h('div', { class: 'pictures' }, shown && drawing(shown), elements && elementGrids(elements, new Set(), null)),
        ),
      answer.meanings.length > 0 &&
        h(
          'section',
          { 'aria-labelledby': 'meanings-title' },
          h('h2', { id: 'meanings-title', class: 'section-title' }, title, h('span', { class: 'quantity' }, accepted === 1 ? '1 rule' : `${accepted} rules`)),
          h('div', { class: `cards${answer.meanings.length === 1 ? ' single' : ''}` }, answer.meanings.map((meaning) => meaningCard(answer, meaning, { ...options, difference: differenceOf(meaning, answer.differences) }))),
        ),
    );
    swap(
      this.more,
      answer.rejects.length > 0 &&
        h(
          'section',
          { 'aria-labelledby': 'rejects-title' },
          h('h2', { id: 'rejects-title', class: 'section-title' }, answer.rejects.some((one) => one.is_undecided) ? 'Rules that reject these shapes or need sizes' : 'Rules that reject these shapes', h('span', { class: 'quantity' }, answer.rejects.length === 1 ? '1 rule' : `${answer.rejects.length} rules`)),
          rejectList(answer.rejects, options),
        ),
      h(
        'section',
        { 'aria-labelledby': 'copy-title' },
        h('h2', { id: 'copy-title', class: 'section-title' }, 'Copy', h('span', { class: 'quantity' }, `under ${chosen.rule}`)),
        copyPanel(
          (
            [
              ['link', 'Link', isPublic ? link() : ''],
              ['markdown', 'Markdown', answer.copy.markdown],
              ['pytest', 'pytest', answer.copy.pytest ?? ''],
              ['rust', 'Rust test', answer.copy.rust ?? ''],
              ['cpp', 'C++ test', answer.copy.cpp ?? ''],
              ['command', 'Command', answer.copy.command ?? ''],
              ['text', 'Text', svg?.text ?? ''],
              ['svg', 'SVG', svg?.svg ?? ''],
            ] satisfies [string, string, string][]
          ).filter(([, , text]) => text !== ''),
        ),
        !isPublic && h('p', { class: 'help' }, 'No link to copy: this page is a file on your machine, and a link would lead others nowhere.'),
        svg && h('p', { class: 'help' }, h('button', { type: 'button', class: 'button', 'data-key': 'save-svg', onclick: () => save(`${canonical.replace(/[^\w.-]+/g, '_').slice(0, 60)}.svg`, new Blob([svg.svg], { type: 'image/svg+xml' })) }, 'Download the drawing (SVG)')),
      ),
    );
    announce(heading);
    this.runtimes.show(answer.is_open || answer.compare.shapes.length !== 2 ? null : answer.compare.shapes.map((shape) => shape.join(',') || '()'));
    return answer.operands;
  }
}

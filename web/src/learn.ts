/** Learn: a guide in small steps. Each shows a state of Ask that can be changed. */

import { because, differenceOf, meaningCard } from './cards.ts';
import { announce, drawing, h, swap, type Child } from './dom.ts';
import { elementGrids, elementsOf } from './elements.ts';
import { ShapeFields } from './fields.ts';
import type { Answer, Meaning } from './protocol.ts';
import { ask } from './rules.ts';
import { runtimesSection } from './runtimes.ts';
import { join, ruleOf, write, type LearnState } from './state.ts';
import { STEPS, type Step } from './steps.ts';

/** Text with code between backticks. */
function prose(text: string): Child[] {
  return text.split('`').map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));
}

export class Learn {
  readonly element: HTMLElement;
  private readonly content = h('div', { class: 'step' });
  private readonly contents = h('nav', { class: 'contents', 'aria-label': 'Steps' });
  private readonly shapes = new ShapeFields(() => this.render(join({ ...ruleOf(this.step.address), shapes: this.shapes.shapes })), 'step-shape');
  private readonly live = h('div', { class: 'step-live' });
  private readonly openLink = h('a', { class: 'button', href: '#' }, 'Open in Ask');
  private readonly runtimes = runtimesSection();
  private step: Step = STEPS[0] as Step;
  private shown = 0;
  private readonly seen = new Set<number>();

  constructor() {
    const chapters = [...new Set(STEPS.map((step) => step.chapter))];
    this.contents.append(
      ...chapters.map((chapter) =>
        h(
          'section',
          {},
          h('h2', {}, chapter),
          h(
            'ol',
            { start: STEPS.findIndex((step) => step.chapter === chapter) + 1 },
            STEPS.map((step, at) => step.chapter === chapter && h('li', { value: at + 1 }, h('a', { href: write({ part: 'learn', step: at + 1 }) }, step.title))),
          ),
        ),
      ),
    );
    this.element = h('div', { class: 'learn' }, this.contents, this.content);
  }

  show(state: LearnState): void {
    const number = Math.min(STEPS.length, Math.max(1, state.step));
    if (number === this.shown) return;
    const first = this.shown === 0;
    this.shown = number;
    this.step = STEPS[number - 1] as Step;
    const links = [...this.contents.querySelectorAll('a')];
    this.seen.add(number);
    links.forEach((link, at) => {
      if (at === number - 1) link.setAttribute('aria-current', 'step');
      else link.removeAttribute('aria-current');
      link.classList.toggle('seen', this.seen.has(at + 1));
    });
    const title = h('h1', { tabindex: -1 }, this.step.title);
    const link = (to: number, label: string, kind: string): HTMLElement | false => {
      const step = STEPS[to - 1];
      return step !== undefined && h('a', { class: `turn ${kind}`, href: write({ part: 'learn', step: to }) }, h('span', { class: 'quiet' }, label), h('span', {}, step.title));
    };
    swap(
      this.content,
      h('p', { class: 'step-number' }, `Step ${number} of ${STEPS.length}`, h('span', {}, this.step.chapter)),
      h('div', { class: 'progress', 'aria-hidden': 'true' }, STEPS.map((_, at) => h('i', { class: at + 1 === number ? 'now' : at + 1 < number || this.seen.has(at + 1) ? 'done' : '' }))),
      title,
      h('div', { class: 'prose' }, this.step.text.map((text) => h('p', {}, prose(text)))),
      h(
        'div',
        { class: 'step-query' },
        h('form', { class: 'query-form', onsubmit: (event: Event) => event.preventDefault() }, this.shapes.element),
        h('p', { class: 'visually-hidden', id: 'step-shape-help' }, 'Sizes or names, separated by commas. Type a plus sign for the next operand.'),
        h(
          'div',
          { class: 'tries' },
          h('span', { class: 'quiet' }, 'Try'),
          [[this.step.address, 'this step'] as [string, string], ...this.step.tries].map(([address, label]) =>
            h('button', { type: 'button', class: 'example', onclick: () => this.try(address) }, h('code', {}, (address.split('&')[0] ?? '').replaceAll('+', ' + ')), h('span', {}, label)),
          ),
        ),
      ),
      this.live,
      this.step.remedy !== undefined && h('p', { class: 'remedy' }, h('b', {}, 'What to do'), h('span', {}, prose(this.step.remedy))),
      h('div', { class: 'actions' }, this.openLink, this.step.check && h('a', { class: 'button', href: this.step.check[0] }, this.step.check[1])),
      this.step.runtimes && this.runtimes.element,
      h('nav', { class: 'turns', 'aria-label': 'Next and previous step' }, link(number - 1, 'Previous', 'back'), link(number + 1, 'Next', 'on')),
    );
    this.try(this.step.address);
    if (!first) {
      title.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
  }

  private try(address: string): void {
    this.shapes.shapes = ask(address).operands;
    this.render(address);
  }

  private render(address: string): void {
    this.openLink.setAttribute('href', write({ part: 'ask', address }));
    const answer = ask(address);
    // A blank in a field began the next operand.
    if (answer.operands.length > this.shapes.shapes.length) this.shapes.divide(answer.operands);
    if (answer.error !== undefined) {
      swap(this.live, h('p', { class: 'message' }, answer.error, '.'));
      return;
    }
    const wanted = [...this.step.rules];
    if (!answer.chosen.is_default && !wanted.includes(answer.chosen.rule)) wanted.push(answer.chosen.rule);
    const meaningOf = (rule: string): Meaning | undefined => answer.meanings.find((one) => one.rules.some((use) => use.rule === rule));
    const shown = new Set(wanted.map(meaningOf));
    const differences = answer.differences.filter((one) => shown.has(meaningOf(one.left.rule)) && shown.has(meaningOf(one.right.rule)));
    const cards = wanted.flatMap((rule) => {
      const meaning = meaningOf(rule);
      if (!meaning) return [this.other(answer, rule)];
      return shown.delete(meaning) ? [meaningCard(answer, meaning, { asked: wanted, difference: differenceOf(meaning, differences) })] : [];
    });
    swap(this.live, h('h2', { class: 'step-verdict' }, answer.heading), h('div', { class: `cards${cards.length === 1 ? ' single' : ''}` }, cards));
    announce(answer.heading);
    if (this.step.runtimes) this.runtimes.show(answer.is_open || answer.compare.shapes.length !== 2 ? null : answer.compare.shapes.map((shape) => shape.join(',') || '()'));
  }

  /** A rule that rejects the shapes, or one with parameters that the comparison does not have. */
  private other(answer: Answer, rule: string): HTMLElement {
    const reject = answer.rejects.find((one) => one.rule === rule);
    const chosen = answer.chosen.rule === rule ? answer.chosen : null;
    const drawn = reject?.drawing ?? chosen?.drawing;
    const message = reject?.message ?? chosen?.error;
    const elements = chosen ? elementsOf(answer, rule) : null;
    return h(
      'article',
      { class: 'card meaning' },
      h('header', {}, h('h3', {}, h('code', {}, rule)), message !== undefined && h('span', { class: 'badge bad' }, reject?.is_undecided ? 'not decided' : 'rejects these shapes')),
      message !== undefined ? h('p', {}, because(message), '.') : !drawn ? h('p', { class: 'note' }, 'This rule has no such axis here.') : h('div'),
      h('div', { class: 'pictures' }, drawn && drawing(drawn), elements && elementGrids(elements, new Set(), null)),
      h('div'),
    );
  }
}

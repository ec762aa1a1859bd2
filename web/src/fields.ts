/** The fields in which people type shapes, and choose a rule with its parameters. */

import { announce, h } from './dom.ts';
import type { Rule } from './protocol.ts';
import { plain, type Parts } from './state.ts';

/** As many operands as the fields show. An address may have up to 64. */
const MOST = 64;

/** One field per operand. A plus sign begins the next one. */
export class ShapeFields {
  readonly element = h('div', { class: 'operands', role: 'group', 'aria-label': 'Shapes of the operands' });
  private readonly change: () => void;

  constructor(change: () => void, private readonly id: string) {
    this.change = change;
  }

  get shapes(): string[] {
    return this.inputs().map((input) => input.value);
  }

  /** Shows shapes. A field keeps what was typed if it means the same. */
  set shapes(shapes: string[]) {
    const wanted = shapes.length > 0 ? shapes.slice(0, MOST) : [''];
    const inputs = this.inputs();
    if (inputs.length !== wanted.length) {
      this.render(wanted);
      return;
    }
    inputs.forEach((input, at) => {
      const shape = wanted[at] ?? '';
      if (plain(input.value) !== plain(shape)) {
        input.value = shape;
        this.fit(input);
      }
    });
  }

  /** Shows more shapes than there are fields, and goes on in the field after the one that was divided. */
  divide(shapes: string[]): void {
    const at = this.inputs().findIndex((input) => input === document.activeElement);
    const added = shapes.length - this.inputs().length;
    this.render(shapes.slice(0, MOST));
    if (at >= 0) this.focus(at + added);
    announce(`${shapes.length} operands`);
  }

  private inputs(): HTMLInputElement[] {
    return [...this.element.querySelectorAll('input')];
  }

  private fit(input: HTMLInputElement): void {
    input.style.width = `calc(${Math.min(28, Math.max(4, input.value.length + 1))}ch + 26px)`;
  }

  focus(at: number): void {
    const inputs = this.inputs();
    const input = inputs[Math.max(0, Math.min(inputs.length - 1, at))];
    input?.focus();
    input?.select();
  }

  private render(shapes: string[]): void {
    const children: Node[] = [];
    shapes.forEach((shape, at) => {
      const letter = at < 26 ? String.fromCharCode(97 + at) : `x${at}`;
      if (at > 0) children.push(h('span', { class: 'plus', 'aria-hidden': 'true' }, '+'));
      const input = h('input', {
        id: `${this.id}-${at}`,
        type: 'text',
        value: shape,
        placeholder: '2,3,4',
        autocomplete: 'off',
        autocapitalize: 'off',
        autocorrect: 'off',
        spellcheck: 'false',
        enterkeyhint: 'next',
        'aria-describedby': `${this.id}-help`,
      });
      this.fit(input);
      input.addEventListener('input', () => {
        this.fit(input);
        this.change();
      });
      input.addEventListener('keydown', (event) => this.key(event, input, at));
      input.addEventListener('paste', (event) => this.paste(event, input, at));
      children.push(
        h(
          'div',
          { class: `operand o${at % 5}` },
          h('label', { for: input.id }, h('span', { class: 'visually-hidden' }, 'shape of '), letter),
          input,
          shapes.length > 1 &&
            h('button', { type: 'button', class: 'quiet-button remove', 'aria-label': `Remove ${letter}`, title: `Remove ${letter}`, onclick: () => this.remove(at) }, '×'),
        ),
      );
    });
    if (shapes.length < MOST) {
      children.push(h('button', { type: 'button', class: 'quiet-button add', title: 'Add an operand (type +)', onclick: () => this.add(shapes.length, '') }, '+ operand'));
    }
    this.element.replaceChildren(...children);
  }

  private add(at: number, shape: string): void {
    const shapes = this.shapes;
    shapes.splice(at, 0, shape);
    this.render(shapes);
    this.focus(at);
    this.change();
    announce(`${shapes.length} operands`);
  }

  private remove(at: number): void {
    const shapes = this.shapes;
    if (shapes.length < 2) return;
    shapes.splice(at, 1);
    this.render(shapes);
    this.focus(Math.max(0, at - 1));
    this.change();
    announce(`${shapes.length} operands`);
  }

  private key(event: KeyboardEvent, input: HTMLInputElement, at: number): void {
    const shapes = this.shapes;
    const start = input.selectionStart === 0 && input.selectionEnd === 0;
    const end = input.selectionStart === input.value.length && input.selectionEnd === input.value.length;
    if (event.key === '+' || (event.key === 'Enter' && at + 1 < shapes.length)) {
      // A plus sign in the middle of a shape divides it.
      const rest = event.key === '+' && !end ? input.value.slice(input.selectionEnd ?? 0) : '';
      if (rest !== '') {
        input.value = input.value.slice(0, input.selectionStart ?? 0);
        this.add(at + 1, rest);
      } else if (shapes[at + 1] !== undefined && (event.key === 'Enter' || shapes[at + 1] === '')) this.focus(at + 1);
      else if (shapes.length < MOST && input.value !== '') this.add(at + 1, '');
    } else if (event.key === 'Backspace' && input.value === '' && shapes.length > 1) this.remove(at);
    else if (event.key === 'ArrowLeft' && start && at > 0) this.focus(at - 1);
    else if (event.key === 'ArrowRight' && end && at + 1 < shapes.length) this.focus(at + 1);
    else return;
    event.preventDefault();
  }

  /** Shapes that are pasted as a whole get a field each. */
  private paste(event: ClipboardEvent, input: HTMLInputElement, at: number): void {
    const text = event.clipboardData?.getData('text/plain').trim() ?? '';
    const pasted = parted(text);
    if (pasted.length < 2) return;
    event.preventDefault();
    const shapes = this.shapes;
    const whole = input.value === '' || (input.selectionStart === 0 && input.selectionEnd === input.value.length);
    shapes.splice(at, whole ? 1 : 0, ...pasted);
    this.render((whole && at === 0 ? pasted : shapes).slice(0, MOST));
    this.focus(at + pasted.length - 1);
    this.change();
  }
}

/** The shapes in a text: `2,3+3`, `(2, 3) (3,)`, `(2,3) and [3]`, or the address of the page. */
export function parted(text: string): string[] {
  const hash = text.indexOf('#');
  const address = (hash >= 0 && /^(https?|file):/.test(text) ? text.slice(hash + 1) : text).split('&')[0] ?? '';
  const groups = address.match(/[([][^()[\]]*[)\]]/g);
  if (groups && groups.length > 1) return groups.map((one) => plain(one));
  return address.split('+').map((one) => plain(one)).filter((one) => one !== '');
}

/** The rule and its parameters. */
export class RuleFields {
  readonly element = h('div', { class: 'rule-fields' });
  private readonly select = h('select', { id: 'rule' });
  private readonly parameters = h('div', { class: 'parameters' });
  private inputs: Record<string, HTMLInputElement | HTMLSelectElement> = {};

  constructor(private readonly rules: Rule[], private readonly change: () => void) {
    this.select.append(h('option', { value: '' }, 'all rules'), ...rules.map((rule) => h('option', { value: rule.name }, rule.name)));
    this.select.addEventListener('change', () => {
      this.show(this.select.value, {});
      this.change();
    });
    this.element.append(h('label', { for: 'rule' }, 'Rule'), this.select, this.parameters);
  }

  get value(): Pick<Parts, 'rule' | 'parameters'> {
    const parameters: Record<string, string> = {};
    for (const [name, input] of Object.entries(this.inputs)) parameters[name] = input.value.trim();
    return { rule: this.select.value, parameters };
  }

  set value(parts: Pick<Parts, 'rule' | 'parameters'>) {
    const rule = this.rules.find((one) => one.name === parts.rule || one.aliases.includes(parts.rule));
    this.select.value = rule?.name ?? '';
    this.show(rule?.name ?? '', parts.parameters);
  }

  private show(name: string, values: Record<string, string>): void {
    const rule = this.rules.find((one) => one.name === name);
    const wanted = [rule && rule.axis !== null && 'axis', rule && rule.modes.length > 0 && 'mode', rule?.axes && 'axes', rule?.target && 'target'].filter((one) => one !== false && one !== undefined) as string[];
    if (Object.keys(this.inputs).join() === wanted.join() && this.parameters.dataset['rule'] === name) {
      for (const one of wanted) {
        const input = this.inputs[one];
        if (input && document.activeElement !== input) input.value = values[one] ?? (one === 'mode' ? (rule?.modes[0] ?? '') : '');
      }
      return;
    }
    this.parameters.dataset['rule'] = name;
    this.inputs = {};
    const children: Node[] = [];
    for (const one of wanted) {
      let input: HTMLInputElement | HTMLSelectElement;
      if (one === 'mode') {
        input = h('select', { id: `parameter-${one}` }, (rule?.modes ?? []).map((mode) => h('option', { value: mode }, mode)));
        if (values[one] !== undefined) input.value = values[one];
      } else {
        const hint = one === 'axis' ? (rule?.axis === '' ? 'none' : String(rule?.axis ?? '')) : one === 'axes' ? '0,1' : '2,3,4';
        input = h('input', { id: `parameter-${one}`, type: 'text', placeholder: hint, value: values[one] ?? '', autocomplete: 'off', spellcheck: 'false', size: one === 'target' ? 9 : 5 });
      }
      input.addEventListener('input', () => this.change());
      this.inputs[one] = input;
      children.push(h('span', { class: 'parameter' }, h('label', { for: input.id }, one), input));
    }
    this.parameters.replaceChildren(...children);
  }
}

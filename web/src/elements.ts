/** Small grids of elements: an element of the result shows the elements of the operands that it is computed from. */

import { h, tuple } from './dom.ts';
import type { Answer, Elements } from './protocol.ts';

/** More elements than this are not drawn. */
const MOST = 64;

function product(shape: number[]): number {
  return shape.reduce((all, one) => all * one, 1);
}

function position(flat: number, shape: number[]): number[] {
  const at: number[] = [];
  for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
    const dim = shape[axis] ?? 1;
    at.unshift(flat % dim);
    flat = Math.floor(flat / dim);
  }
  return at;
}

/** The elements that a rule reads, from its strides. `null` if the dims are open, or there are too many or no elements. */
export function elementsOf(answer: Answer, rule: string): Elements | null {
  const found = answer.compare.rules.find((one) => one.rule === rule);
  if (answer.chosen.rule === rule && answer.chosen.elements) return small(answer.chosen.elements);
  if (!found?.shape || !found.strides) return null;
  const numbers = (shape: (number | string)[]): number[] | null => (shape.every((dim) => typeof dim === 'number') ? shape : null);
  const shape = numbers(found.shape);
  const operands = answer.compare.shapes.map(numbers);
  if (shape === null || product(shape) > MOST || operands.some((one) => one === null)) return null;
  const sources: number[][] = [];
  for (let flat = 0; flat < product(shape); flat += 1) {
    const at = position(flat, shape);
    sources.push(
      found.strides.map((strides, operand) => {
        const periods = found.periods?.[operand];
        return at.reduce((sum, one, axis) => sum + (periods ? one % (periods[axis] ?? 1) : one) * (strides?.[axis] ?? 0), 0);
      }),
    );
  }
  return small({ shape, operands: operands as number[][], sources });
}

function small(elements: Elements): Elements | null {
  const counts = [elements.shape, ...elements.operands].map(product);
  return counts.some((one) => one > MOST) || counts[0] === 0 || elements.shape.length > 4 ? null : elements;
}

/** The positions in the result at which two rules read different elements. All of them if the shapes differ. */
export function differing(one: Elements | null, other: Elements | null): Set<number> {
  const found = new Set<number>();
  if (!one || !other || one.shape.join() !== other.shape.join()) return found;
  one.sources.forEach((sources, at) => {
    if (sources.join() !== other.sources[at]?.join()) found.add(at);
  });
  return found;
}

interface Cells {
  box: HTMLElement;
  cells: HTMLElement[];
}

/** Draws the elements of one array: rows and columns, and a block for each position along the axes in front of them. */
function grid(name: string, shape: number[], kind: string, text: (flat: number) => string, label: (flat: number) => string, role: boolean): Cells {
  const columns = shape.at(-1) ?? 1;
  const rows = shape.at(-2) ?? 1;
  const total = product(shape);
  const cells: HTMLElement[] = [];
  const blocks: HTMLElement[] = [];
  for (let block = 0; block < total; block += rows * columns) {
    const lines: HTMLElement[] = [];
    for (let row = 0; row < rows; row += 1) {
      const line: HTMLElement[] = [];
      for (let column = 0; column < columns; column += 1) {
        const flat = block + row * columns + column;
        const cell = h('span', { class: 'cell', role: role ? 'gridcell' : null, tabindex: role ? -1 : null, 'aria-label': role ? label(flat) : null }, text(flat));
        cells.push(cell);
        line.push(cell);
      }
      lines.push(h('div', { class: 'line', role: role ? 'row' : null }, line));
    }
    const front = position(block, shape).slice(0, -2);
    blocks.push(
      h(
        'div',
        { class: 'block', role: role ? 'rowgroup' : null },
        front.length > 0 && h('span', { class: 'front', 'aria-hidden': 'true' }, `[${front.join(', ')}]`),
        lines,
      ),
    );
  }
  const box = h(
    'div',
    { class: `array ${kind}` },
    h('div', { class: 'array-name', 'aria-hidden': 'true' }, h('b', {}, name), ' ', h('span', {}, tuple(shape))),
    h('div', { class: 'blocks', role: role ? 'grid' : null, 'aria-label': role ? `elements of ${name}` : null, 'aria-hidden': role ? null : 'true' }, blocks),
  );
  return { box, cells };
}

/** Draws the operands, the result, and the sentence of the element under the pointer or the focus. */
export function elementGrids(elements: Elements, marked: Set<number>, start: number | null): HTMLElement {
  const letters = elements.operands.map((_, at) => String.fromCharCode(97 + at));
  const sum = (flat: number): number => (elements.sources[flat] ?? []).reduce((all, one) => all + one, 0);
  const sentence = (flat: number): string => {
    const sources = elements.sources[flat] ?? [];
    const reads = letters.map((letter, at) => `${letter}${tuple(position(sources[at] ?? 0, elements.operands[at] ?? []))}`);
    const values = sources.length > 1 ? `${sources.join(' + ')} = ${sum(flat)}` : `${sum(flat)}`;
    return `${reads.join(' + ')} = ${values}`;
  };
  const operands = letters.map((letter, at) => grid(letter, elements.operands[at] ?? [], `o${at % 5}`, String, String, false));
  const result = grid('result', elements.shape, 'result', (flat) => String(sum(flat)), (flat) => `element ${tuple(position(flat, elements.shape))}: ${sentence(flat)}`, true);
  const line = h('p', { class: 'sentence' });
  const show = (flat: number | null): void => {
    for (const cell of [...operands.flatMap((one) => one.cells), ...result.cells]) cell.classList.remove('lit');
    if (flat === null) return;
    result.cells[flat]?.classList.add('lit');
    (elements.sources[flat] ?? []).forEach((source, at) => operands[at]?.cells[source]?.classList.add('lit'));
    line.replaceChildren(h('b', {}, `element ${tuple(position(flat, elements.shape))}`), ` ${sentence(flat)}`);
  };
  const readBy = (operand: number, source: number): void => {
    for (const cell of [...operands.flatMap((one) => one.cells), ...result.cells]) cell.classList.remove('lit');
    operands[operand]?.cells[source]?.classList.add('lit');
    let times = 0;
    elements.sources.forEach((sources, flat) => {
      if (sources[operand] === source) {
        result.cells[flat]?.classList.add('lit');
        times += 1;
      }
    });
    const at = position(source, elements.operands[operand] ?? []);
    line.replaceChildren(h('b', {}, `${letters[operand]}${tuple(at)}`), ` is read by ${times} of ${result.cells.length} elements`);
  };
  let current = start ?? 0;
  const focus = (flat: number): void => {
    const next = Math.max(0, Math.min(result.cells.length - 1, flat));
    result.cells[current]?.setAttribute('tabindex', '-1');
    current = next;
    result.cells[current]?.setAttribute('tabindex', '0');
    result.cells[current]?.focus();
  };
  result.cells.forEach((cell, flat) => {
    if (marked.has(flat)) cell.classList.add('marked');
    cell.addEventListener('pointerenter', () => show(flat));
    cell.addEventListener('focus', () => {
      result.cells[current]?.setAttribute('tabindex', '-1');
      current = flat;
      cell.setAttribute('tabindex', '0');
      show(flat);
    });
  });
  operands.forEach((one, operand) => one.cells.forEach((cell, source) => cell.addEventListener('pointerenter', () => readBy(operand, source))));
  result.cells[current]?.setAttribute('tabindex', '0');
  const columns = elements.shape.at(-1) ?? 1;
  result.box.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
    if (event.key === 'Home') focus(0);
    else if (event.key === 'End') focus(result.cells.length - 1);
    else if (step === undefined || current + step < 0 || current + step >= result.cells.length) return;
    else focus(current + step);
    event.preventDefault();
  });
  const parts: HTMLElement[] = [];
  operands.forEach((one, at) => {
    parts.push(h('div', { class: 'term' }, at > 0 && h('span', { class: 'sign', 'aria-hidden': 'true' }, '+'), one.box));
  });
  parts.push(h('div', { class: 'term' }, h('span', { class: 'sign', 'aria-hidden': 'true' }, '='), result.box));
  const box = h('div', { class: `elements${result.cells.length > 16 ? ' wide' : ''}` }, h('div', { class: 'arrays' }, parts), line);
  const hint = (): void => {
    show(start);
    line.replaceChildren(marked.size > 0 ? 'Dashed elements differ. ' : '', 'Point at an element to see what it reads.');
  };
  box.addEventListener('pointerleave', hint);
  hint();
  return box;
}

/** Builds the document. Text always goes in as text nodes, never as markup. */

export type Child = Node | string | number | null | undefined | false | Child[];

type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** Characters that are invisible or that reorder the text around them. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** Replaces characters that are invisible or reorder text with their numbers: `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

export function append(parent: Node, child: Child): void {
  if (child === null || child === undefined || child === false) return;
  if (Array.isArray(child)) for (const one of child) append(parent, one);
  else parent.appendChild(child instanceof Node ? child : document.createTextNode(visible(String(child))));
}

/** Creates an element. Properties that begin with `on` are listeners; the others are attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Record<string, Value> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : visible(String(value)));
  }
  append(element, children);
  return element;
}

/** Makes an element of an SVG image. Returns the text instead if it is not an image, or has a part that an image of ours never has. */
export function image(svg: string): Node {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  const root = parsed.documentElement;
  const bad = root.localName !== 'svg' || parsed.querySelector('parsererror, script, foreignObject, image, a, use, animate, set') !== null;
  return bad ? document.createTextNode(visible(svg)) : document.importNode(root, true);
}

let copies = 0;
/** Where names are above the boxes, as the page is too narrow for both. */
const narrow = matchMedia('(max-width: 480px)');
const redraws = new WeakMap<Element, () => void>();
narrow.addEventListener('change', () => document.querySelectorAll('.drawing').forEach((box) => redraws.get(box)?.()));

/**
 * Shows a drawing. The identifiers in an image are unique among drawings only if they differ, so every copy gets its own: a document may
 * show a drawing twice. The title is shown where nothing else says it.
 */
export function drawing(drawn: { svg: string }, titled = false): HTMLElement {
  const box = h('div', { class: 'drawing' });
  const draw = (): void => {
    copies += 1;
    const id = /class="(bx[0-9a-f]+)"/.exec(drawn.svg)?.[1];
    const shown = image(id === undefined ? drawn.svg : drawn.svg.replaceAll(id, `${id}-${copies}`));
    const notes = shown instanceof SVGSVGElement ? layOut(shown, titled) : [];
    box.replaceChildren(shown);
    if (notes.length > 0) box.append(h('ul', { class: 'drawing-notes', 'aria-hidden': 'true' }, notes.map((note) => h('li', {}, note))));
  };
  draw();
  redraws.set(box, draw);
  return box;
}

/** The height of a line above a row, the margin of an image, and the widest letter of its font, in pixels. */
const [LINE, MARGIN, LETTER, WIDEST] = [20, 12, 9, 32];
const number = (element: Element, name: string): number => Number(element.getAttribute(name) ?? 0);
const move = (element: Element, name: string, by: number): void => element.setAttribute(name, String(number(element, name) + by));

/**
 * Makes an image as large as its boxes need: the lines of text below them become text of the document, which wraps and can be selected,
 * and the title is left out. The image's description has them too. On narrow screens names move above their boxes.
 */
function layOut(svg: SVGSVGElement, titled: boolean): string[] {
  const boxes = [...svg.querySelectorAll('rect:not(.ground)')];
  let texts = [...svg.querySelectorAll('text')];
  const axis = texts.find((text) => text.textContent === 'axis');
  // An image of two drawings, one below the other, keeps its text.
  if (!axis || boxes.length === 0 || texts.filter((text) => text.textContent === 'axis').length !== 1) return [];
  let bottom = Math.max(...boxes.map((box) => number(box, 'y') + number(box, 'height')));
  const notes = texts.filter((text) => number(text, 'y') > bottom && number(text, 'x') <= 16);
  const above = titled ? [] : texts.filter((text) => number(text, 'y') < number(axis, 'y') - 8);
  for (const text of [...notes, ...above]) text.remove();
  texts = texts.filter((text) => !notes.includes(text) && !above.includes(text));
  const cells = boxes.filter((box) => !box.classList.contains('clash'));
  if (narrow.matches && cells.length > 0) {
    const shift = Math.min(...cells.map((box) => number(box, 'x'))) - MARGIN;
    const rows = [...new Set(cells.map((box) => number(box, 'y')))].sort((one, other) => one - other);
    const before = (y: number): number => rows.filter((row) => row <= y).length;
    for (const text of texts) {
      const row = before(number(text, 'y'));
      const isName = number(text, 'x') <= shift + 4 && row > 0;
      if (isName) {
        text.setAttribute('y', String((rows[row - 1] ?? 0) + (row - 1) * LINE + 14));
        const name = texts.find((one) => one !== text && one.getAttribute('y') === text.getAttribute('y') && number(one, 'x') === MARGIN);
        const content = text.textContent ?? '';
        // A shape follows its name.
        if (text.classList.contains('e')) text.setAttribute('x', String(MARGIN + ((name?.textContent ?? '').length + 2) * LETTER));
        else if (content.length > WIDEST - 14) text.textContent = `…${content.slice(15 - WIDEST)}`;
        text.classList.remove('e');
        text.classList.add('over');
      } else {
        move(text, 'y', row * LINE);
        if (text !== axis) move(text, 'x', -shift);
      }
    }
    const first = texts[texts.indexOf(axis) + 1];
    if (first) first.textContent = `axis ${first.textContent}`;
    axis.remove();
    for (const box of boxes) {
      move(box, 'x', -shift);
      if (box.classList.contains('clash')) move(box, 'height', rows.length * LINE);
      else move(box, 'y', before(number(box, 'y')) * LINE);
    }
    bottom += rows.length * LINE;
  }
  const ends = (text: Element): number => number(text, 'x') + (/\b[em]\b/.test(text.getAttribute('class') ?? '') ? 0 : (text.textContent ?? '').length * LETTER);
  const width = Math.ceil(Math.max(...boxes.map((box) => number(box, 'x') + number(box, 'width')), ...texts.map(ends))) + MARGIN;
  const top = titled ? 0 : number(axis, 'y') - 16;
  const height = Math.ceil(bottom) + 10 - top;
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 ${top} ${width} ${height}` })) svg.setAttribute(name, String(value));
  // What a card says of the element that is traced is not said again.
  return notes.map((note) => note.textContent ?? '').filter((note) => note !== '' && (titled || !note.startsWith('element ')));
}

/** Replaces the contents of an element. The focus stays on the element with the same `data-key`, and what was expanded stays so. */
export function swap(parent: HTMLElement, ...children: Child[]): void {
  const active = document.activeElement instanceof HTMLElement && parent.contains(document.activeElement) ? document.activeElement : null;
  const key = active?.dataset['key'];
  const open = new Set([...parent.querySelectorAll<HTMLDetailsElement>('details[data-key][open]')].map((one) => one.dataset['key']));
  parent.replaceChildren();
  append(parent, children);
  for (const one of parent.querySelectorAll<HTMLDetailsElement>('details[data-key]')) if (open.has(one.dataset['key'])) one.open = true;
  if (key !== undefined) parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

let pending: ReturnType<typeof setTimeout> | undefined;

/** Tells people who use a screen reader what changed. Waits for typing to end. */
export function announce(text: string, delay = 500): void {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const live = document.getElementById('live');
    if (live && live.textContent !== text) live.textContent = visible(text);
  }, delay);
}

/** Copies text, in browsers and contexts without the clipboard interface too. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { 'aria-hidden': 'true', tabindex: -1, style: 'position:fixed;opacity:0' });
    area.value = text;
    const before = document.activeElement;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    if (before instanceof HTMLElement) before.focus();
    return done;
  }
}

/** A button that copies, and says so. */
export function copyButton(label: string, what: () => string, name: string, kind = 'button'): HTMLButtonElement {
  const button = h('button', { type: 'button', class: kind, 'data-key': `copy-${name}` }, label);
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener('click', () => {
    void copy(what()).then((done) => {
      button.textContent = done ? 'Copied' : 'Not copied';
      announce(done ? `${name} copied` : `The browser does not allow copying`, 0);
      clearTimeout(timer);
      timer = setTimeout(() => {
        button.textContent = label;
      }, 1400);
    });
  });
  return button;
}

/** Offers a file for download. */
export function save(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** `(0, 1)`, as NumPy writes tuples. */
export function tuple(at: (number | string)[]): string {
  return at.length === 1 ? `(${at[0]},)` : `(${at.join(', ')})`;
}

/** `1 node`, `2 nodes`. */
export function count(number: number, noun: string, many = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : many}`;
}

/** `3.4 kB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

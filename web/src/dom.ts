/** Builds the document. Text always goes in as text nodes, never as markup. */

export type Child = Node | string | number | null | undefined | false | Child[];

type Value = string | number | boolean | null | undefined | ((event: never) => void);

/** Characters that are invisible or that reorder the text around them. */
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu;

/** Replaces characters that are invisible or reorder text with their numbers: `\u{202e}`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}

function append(parent: Node, child: Child): void {
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

/**
 * Shows a drawing. The identifiers in an image are unique among drawings only if they differ, so every copy gets its own: a document may
 * show a drawing twice.
 */
export function drawing(drawn: { svg: string; alternative?: string }): HTMLElement {
  copies += 1;
  const id = /class="(bx[0-9a-f]+)"/.exec(drawn.svg)?.[1];
  const svg = id === undefined ? drawn.svg : drawn.svg.replaceAll(id, `${id}-${copies}`);
  const shown = image(svg);
  const notes = shown instanceof SVGSVGElement ? takeNotes(shown) : [];
  return h('div', { class: 'drawing' }, shown, notes.length > 0 && h('ul', { class: 'drawing-notes', 'aria-hidden': 'true' }, notes.map((note) => h('li', {}, note))));
}

/**
 * Takes the lines of text below the boxes out of an image, which then is only as large as the boxes need. As text of the document they
 * wrap and can be selected. The image's description has them too.
 */
function takeNotes(svg: SVGSVGElement): string[] {
  const number = (element: Element, name: string): number => Number(element.getAttribute(name) ?? 0);
  const boxes = [...svg.querySelectorAll('rect:not(.ground)')];
  const texts = [...svg.querySelectorAll('text')];
  // An image of two drawings, one below the other, keeps its text.
  if (boxes.length === 0 || texts.filter((text) => text.textContent === 'axis').length !== 1) return [];
  const bottom = Math.max(...boxes.map((box) => number(box, 'y') + number(box, 'height')));
  const notes = texts.filter((text) => number(text, 'y') > bottom && number(text, 'x') <= 16);
  for (const note of notes) note.remove();
  const rest = texts.filter((text) => !notes.includes(text));
  // Letters of the font at 14 pixels are at most 9 wide.
  const right = Math.max(...boxes.map((box) => number(box, 'x') + number(box, 'width')), ...rest.map((text) => number(text, 'x') + (/\b[em]\b/.test(text.getAttribute('class') ?? '') ? 0 : (text.textContent ?? '').length * 9)));
  const width = Math.min(number(svg, 'width'), Math.ceil(right) + 12);
  const height = Math.min(number(svg, 'height'), Math.ceil(bottom) + 10);
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  return notes.map((note) => note.textContent ?? '').filter((note) => note !== '');
}

/** Lets the keyboard scroll a box, but only if it scrolls. */
export function scrollable(box: HTMLElement, label: string): HTMLElement {
  const update = (): void => {
    if (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1) {
      box.tabIndex = 0;
      box.setAttribute('role', 'group');
      box.setAttribute('aria-label', label);
    } else {
      box.removeAttribute('tabindex');
      box.removeAttribute('role');
      box.removeAttribute('aria-label');
    }
  };
  new ResizeObserver(update).observe(box);
  return box;
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

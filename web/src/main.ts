/** The page: three parts in one document, with the state in the address. */

import { Ask } from './ask.ts';
import { Check } from './check.ts';
import { h, image } from './dom.ts';
import { Learn } from './learn.ts';
import { lockDown } from './network.ts';
import { read, TARGETS, write, type State } from './state.ts';

declare const VERSION: string;

const SOURCE = 'https://github.com/broadaxe/broadaxe';

lockDown();

// Each part is made when it is first shown.
let ask: Ask | null = null;
let check: Check | null = null;
let learn: Learn | null = null;
const TITLES = { ask: 'Ask', check: 'Check a model', learn: 'Learn' };

const links = {
  ask: h('a', { href: '#' }, 'Ask'),
  check: h('a', { href: '#/check' }, 'Check'),
  learn: h('a', { href: '#/learn/1' }, 'Learn'),
};

/** Follows the system, then light, then dark. It is not stored. */
const THEMES = ['system', 'light', 'dark'] as const;
const ICONS = {
  system: '<circle cx="10" cy="10" r="7"/><path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor"/>',
  light: '<circle cx="10" cy="10" r="3.5"/><path d="M10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4"/>',
  dark: '<path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z"/>',
};
let theme = 0;
const themeButton = h('button', { type: 'button', class: 'quiet-button theme', onclick: () => setTheme(theme + 1) });
function setTheme(next: number): void {
  theme = next % THEMES.length;
  const name = THEMES[theme] ?? 'system';
  if (name === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = name;
  themeButton.title = `Theme: ${name}`;
  themeButton.setAttribute('aria-label', themeButton.title);
  themeButton.replaceChildren(image(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" aria-hidden="true">${ICONS[name]}</svg>`));
}
setTheme(0);

const main = h('main', { id: 'main', tabindex: -1 });
document.getElementById('app')?.append(
  h('a', { class: 'skip', href: '#main', onclick: (event: Event) => (event.preventDefault(), main.focus()) }, 'Skip to the answer'),
  h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'top-inner' },
      h('a', { class: 'brand', href: '#', 'aria-label': 'Broadaxe' }, h('span', { class: 'mark', 'aria-hidden': 'true' }, h('i'), h('i')), 'Broadaxe'),
      h('nav', { class: 'parts', 'aria-label': 'Parts' }, links.ask, links.check, links.learn),
      themeButton,
    ),
  ),
  main,
  h(
    'footer',
    { class: 'bottom' },
    h(
      'p',
      {},
      'Broadaxe makes the broadcasting rules of machine-learning frameworks exact. Everything on this page runs in your browser. ',
      h('a', { href: SOURCE, rel: 'noopener' }, 'Source code'),
      h('span', { class: 'version' }, VERSION),
    ),
  ),
);

let current: State | null = null;
/** What Ask showed last, so that its link leads back there. */
let lastAsk = '#';

function show(state: State): void {
  const moved = current?.part !== state.part;
  current = state;
  for (const [name, link] of Object.entries(links)) {
    if (name === state.part) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (state.part === 'ask') {
    lastAsk = write(state);
    links.ask.href = lastAsk;
    ask ??= new Ask(go);
    ask.show(state);
    place(ask.element);
  } else if (state.part === 'check') {
    check ??= new Check(go);
    check.show(state);
    place(check.element);
  } else {
    learn ??= new Learn();
    learn.show(state);
    place(learn.element);
  }
  if (moved) document.title = `${TITLES[state.part]} – Broadaxe`;
}

function place(part: HTMLElement): void {
  if (part.parentNode !== main) main.replaceChildren(part);
}

function go(state: State, push: boolean): void {
  const address = write(state);
  if (push) history.pushState(null, '', address);
  else history.replaceState(null, '', address);
  show(state);
}

window.addEventListener('hashchange', () => show(read(location.hash, location.search)));
window.addEventListener('popstate', () => show(read(location.hash, location.search)));
window.addEventListener('keydown', (event) => {
  const typing = event.target instanceof HTMLElement && /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === 'Escape' && event.target instanceof HTMLElement) {
    const open = event.target.closest<HTMLDetailsElement>('details[open]');
    if (open) {
      open.open = false;
      open.querySelector('summary')?.focus();
    } else if (typing) event.target.blur();
  } else if (event.key === '/' && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && current?.part === 'ask') {
    ask?.focus();
    event.preventDefault();
  }
});

// Files can be dropped on every part of the page. A browser would leave the page for them.
let depth = 0;
const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
const over = (change: number): void => {
  depth = change === 0 ? 0 : Math.max(0, depth + change);
  check?.over(depth > 0);
};
window.addEventListener('dragenter', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  over(1);
});
window.addEventListener('dragover', (event) => {
  if (hasFiles(event)) event.preventDefault();
});
window.addEventListener('dragleave', (event) => {
  if (hasFiles(event)) over(-1);
});
window.addEventListener('drop', (event) => {
  if (!hasFiles(event)) return;
  event.preventDefault();
  over(0);
  const files = [...(event.dataTransfer?.files ?? [])];
  if (files.length === 0) return;
  if (current?.part !== 'check') go({ part: 'check', targets: TARGETS }, true);
  check?.take(files);
});

show(read(location.hash, location.search));
performance.mark('answered');

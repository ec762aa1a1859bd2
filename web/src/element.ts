/**
 * The element `<broadaxe-shapes shapes="2,3+3" rule="numpy">` draws how shapes broadcast, in any document.
 *
 * Attributes: `shapes`, as in the address of the page; `rule`, with its parameters (`pdpd axis=1`), NumPy's if it is missing; `notes="none"`
 * leaves out the text below the drawing. Drawings follow the `color-scheme` of the document.
 */

import { drawing, h } from './dom.ts';
import { bytesOf, Engine, type Answer } from './protocol.ts';

declare const RULES: string;

let engine: Engine | null = null;

const STYLE = `
:host { display: block; overflow-x: auto; }
:host([hidden]) { display: none; }
svg { display: block; color-scheme: inherit !important; max-width: none !important; }
ul { list-style: none; margin: 6px 0 0 12px; padding: 0; font: 13px/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; opacity: .8; }
p { margin: 0; font: 14px/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
`;

class BroadaxeShapes extends HTMLElement {
  static readonly observedAttributes = ['shapes', 'rule', 'notes'];
  private readonly root = this.attachShadow({ mode: 'open' });
  private waiting = false;

  connectedCallback(): void {
    this.update();
  }

  attributeChangedCallback(): void {
    this.update();
  }

  /** Several attributes that change together are one rendering. */
  private update(): void {
    if (this.waiting || !this.isConnected) return;
    this.waiting = true;
    queueMicrotask(() => {
      this.waiting = false;
      this.render();
    });
  }

  private render(): void {
    const shapes = this.getAttribute('shapes') ?? '';
    const rule = (this.getAttribute('rule') ?? '').trim().replace(/\s+/g, '&');
    const style = h('style', {}, STYLE);
    engine ??= new Engine(bytesOf(RULES));
    const answer = engine.ask<Answer>({ do: 'ask', address: rule === '' ? shapes : `${shapes}&rule=${rule}` });
    const wanted = answer.error === undefined ? answer.chosen : null;
    const drawn = wanted?.drawing ?? answer.rejects?.find((one) => one.rule === wanted?.rule)?.drawing;
    if (drawn) {
      const box = drawing(drawn);
      if (this.getAttribute('notes') === 'none') box.querySelector('ul')?.remove();
      this.root.replaceChildren(style, box);
    } else this.root.replaceChildren(style, h('p', {}, answer.error ?? wanted?.error ?? 'These shapes cannot be drawn.'));
  }
}

if (!customElements.get('broadaxe-shapes')) customElements.define('broadaxe-shapes', BroadaxeShapes);

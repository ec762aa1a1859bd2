import { h } from './dom.ts';
import type { LearnState } from './state.ts';
export class Learn {
  readonly element = h('div', { class: 'learn' });
  show(_state: LearnState): void {}
}

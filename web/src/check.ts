import { h } from './dom.ts';
import type { CheckState } from './state.ts';
export class Check {
  readonly element = h('div', { class: 'check' });
  constructor(_go: (state: CheckState, push: boolean) => void) {}
  show(_state: CheckState): void {}
}

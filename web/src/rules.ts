/** The module of the rules. It starts at once, on the page's own thread. */

import { bytesOf, Engine, type Answer, type Rule } from './protocol.ts';

const engine = new Engine(bytesOf(document.getElementById('rules-wasm')?.textContent ?? ''));

export const rules: Rule[] = engine.ask<Rule[]>({ do: 'rules' });

/** What every rule says about the shapes of an address. Errors are in the answer. */
export function ask(address: string): Answer {
  return engine.ask<Answer>({ do: 'ask', address });
}

/** The text of a rule without its parameters: `pdpd axis=1` is `pdpd`. */
export function addressOfRule(rule: string): { rule: string; parameters: Record<string, string> } {
  const [name = '', ...rest] = rule.split(' ');
  const parameters: Record<string, string> = {};
  for (const one of rest) {
    const [key = '', value = ''] = one.split('=');
    parameters[key] = value;
  }
  return { rule: name, parameters };
}

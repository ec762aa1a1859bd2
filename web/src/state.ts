/** The state of the page is in its address. Addresses that worked once keep working. */

export interface AskState {
  part: 'ask';
  /** What follows `#`: shapes, then the rule. Empty for the first visit. */
  address: string;
}
export interface CheckState {
  part: 'check';
  targets: string[];
  /** An example model that the page has. */
  example?: string;
}
export interface LearnState {
  part: 'learn';
  step: number;
}
export type State = AskState | CheckState | LearnState;

/** The runtimes that are selected at first. */
export const TARGETS = ['onnx', 'openvino', 'ncnn', 'litert', 'litert-gpu'];

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%2B/gi, '%252B'));
  } catch {
    return text;
  }
}

/** Reads an address: `#2,3+3`, `#/check?for=ncnn`, `#/learn/3`. */
export function read(hash: string, search = ''): State {
  const text = hash.replace(/^#/, '');
  const learn = /^\/learn(?:\/(\d+))?\/?$/.exec(text);
  if (learn) return { part: 'learn', step: Math.max(1, Number(learn[1] ?? 1)) };
  const check = /^\/check\/?(?:\?(.*))?$/.exec(text);
  if (check) {
    const query = new URLSearchParams(check[1] ?? '');
    const names = query.get('for');
    const example = query.get('example');
    const targets = (names ?? '').split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '');
    return { part: 'check', targets: targets.length > 0 ? [...new Set(targets)] : TARGETS, ...(example ? { example } : {}) };
  }
  if (text === '' && new URLSearchParams(search).has('url')) return { part: 'check', targets: TARGETS };
  return { part: 'ask', address: decoded(text.replace(/^\/ask\/?\??/, '')) };
}

/** Writes an address. */
export function write(state: State): string {
  if (state.part === 'learn') return `#/learn/${state.step}`;
  if (state.part === 'ask') return `#${encodeAddress(state.address)}`;
  const same = state.targets.length === TARGETS.length && state.targets.every((name) => TARGETS.includes(name));
  const query = [!same && `for=${state.targets.map((name) => encodeURIComponent(name)).join(',')}`, state.example !== undefined && `example=${encodeURIComponent(state.example)}`].filter((one) => one !== false);
  return query.length > 0 ? `#/check?${query.join('&')}` : '#/check';
}

/** Escapes only what an address cannot have. */
function encodeAddress(address: string): string {
  return address.replace(/[\s"<>`{}|\\^[\]#\u0000-\u001f\u007f-\uffff]+/gu, (part) => encodeURIComponent(part));
}

/** Shapes and parameters of an address, as the fields of Ask show them. */
export interface Parts {
  shapes: string[];
  rule: string;
  parameters: Record<string, string>;
}

/** Reads the rule of an address. The module divides the shapes into operands. */
export function ruleOf(address: string): Pick<Parts, 'rule' | 'parameters'> {
  const parts: Pick<Parts, 'rule' | 'parameters'> = { rule: '', parameters: {} };
  for (const one of address.split('&').slice(1)) {
    const at = one.indexOf('=');
    const name = at < 0 ? one : one.slice(0, at);
    const value = at < 0 ? '' : one.slice(at + 1);
    if (name === 'rule') parts.rule = value;
    else if (name !== '') parts.parameters[name] = value;
  }
  return parts;
}

export function join(parts: Parts): string {
  let text = parts.shapes.map(plain).join('+');
  if (parts.rule !== '') {
    text += `&rule=${parts.rule}`;
    for (const name of ['axis', 'mode', 'axes', 'target']) {
      const value = (parts.parameters[name] ?? '').replace(/[\s&]/g, '');
      if (value !== '') text += `&${name}=${value}`;
    }
  }
  return text;
}

/** A shape as people write it, without what is not needed: `(2, 3,)` is `2,3`. */
export function plain(shape: string): string {
  // A blank between two names separates operands, and the module does that.
  let text = shape.trim().replace(/\s*([,:()[\]])\s*/g, '$1').replace(/\s+/g, ' ');
  const inner = /^[([](.+)[)\]]$/.exec(text)?.[1];
  if (inner !== undefined && inner !== '...') text = inner;
  else if (text === '[]') text = '()';
  return text.replace(/^([^()]*[^(),]),$/, '$1');
}

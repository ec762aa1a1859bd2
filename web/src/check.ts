/** Check: which broadcasting nodes of a model compute something else on other runtimes. */

import { checker, hasCheck } from './checker.ts';
import { announce, count, h, save, size, swap, visible, type Child } from './dom.ts';
import { BATCH, batches, byNode, capital, card, extract, ROWS, said, targetsOf } from './findings.ts';
import { fetchModel, forbid, linkedModels, networkSentence, onRequest } from './network.ts';
import { bytesOf, type Checked, type Fixed, type Group, type ModelNode, type Opened, type TargetCounts } from './protocol.ts';
import { known, listTargets, shownVerdict, titled, titleOf } from './runtimes.ts';
import { TARGETS, write, type CheckState } from './state.ts';

/** The files that the build puts into the page, in base64. */
declare const EXAMPLES: Record<string, string>;

/** What the examples show. */
const EXAMPLE_TEXTS: Record<string, string> = {
  'face.onnx': 'a bias with the old attribute axis',
  'position.tflite': 'a table of positions',
};

const MODELS = /\.(onnx|xml|param|tflite|litertlm|pdmodel|json)(\.gz)?$/i;
const WEIGHTS = /\.(bin|data|weights?|pdiparams|onnx_data|raw|pb)$/i;
const FORMATS: Record<string, string> = { onnx: 'ONNX', openvino: 'OpenVINO IR', paddle: 'Paddle', tflite: 'TFLite' };
const VERDICTS = ['same', 'differs', 'refused', 'guarded', 'unsupported', 'unknown'];

/** The name of a file without its folder. */
function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** The file that is checked, in front of the files of weights. */
function mainOf(files: File[]): number {
  const at = files.findIndex((file) => MODELS.test(file.name) && !/\.json(\.gz)?$/i.test(file.name));
  return Math.max(0, at < 0 ? files.findIndex((file) => MODELS.test(file.name)) : at);
}

export class Check {
  readonly element: HTMLElement;
  private targets = TARGETS;
  private example: string | undefined;
  private files: File[] = [];
  private opened: Opened | null = null;
  private turn = 0;
  private started = false;
  private filter = { severity: '', target: '', text: '' };

  private readonly chips = h('div', { class: 'target-groups' });
  private readonly chosen = h('span', { class: 'quiet' });
  private readonly targetBox = h('details', { class: 'targets', open: !matchMedia('(max-width: 640px)').matches }, h('summary', {}, h('b', {}, 'Runtimes'), ' ', this.chosen), this.chips);
  private readonly result = h('div', { class: 'check-result' });
  private readonly readLine = h('span', {});
  private readonly sentLine = h('span', {});
  private readonly sentBadge = h('span', { class: 'badge good' });
  private readonly input = h('input', { type: 'file', multiple: true, class: 'visually-hidden', tabindex: -1, 'aria-hidden': 'true', id: 'files' });
  private readonly zone: HTMLElement;
  private readonly zoneTitle = h('p', { class: 'zone-title' }, 'Drop a model here');

  constructor(private readonly go: (state: CheckState, push: boolean) => void) {
    this.input.addEventListener('change', () => {
      const files = [...(this.input.files ?? [])];
      this.input.value = '';
      if (files.length > 0) this.take(files);
    });
    const url = h('input', { type: 'url', id: 'model-url', placeholder: 'https://example.com/model.onnx', autocomplete: 'off', spellcheck: 'false' });
    this.zone = h(
      'section',
      { class: 'zone', 'aria-label': 'Model' },
      this.zoneTitle,
      h('button', { type: 'button', class: 'button primary', onclick: () => this.input.click() }, 'Choose files'),
      h('p', { class: 'help' }, 'ONNX, OpenVINO IR, ncnn, pnnx, Paddle or TFLite, of any size. Add files of weights (', h('code', {}, '.bin'), ', ', h('code', {}, '.data'), ') if constants are in them.'),
      h(
        'p',
        { class: 'zone-examples' },
        h('span', { class: 'quiet' }, 'Examples: '),
        Object.keys(EXAMPLES).map((name) =>
          h('button', { type: 'button', class: 'example', onclick: () => this.go({ part: 'check', targets: this.targets, example: name }, true) }, h('code', {}, name), h('span', {}, EXAMPLE_TEXTS[name])),
        ),
      ),
      h(
        'details',
        { class: 'by-link' },
        h('summary', {}, 'Open a model by link'),
        h(
          'form',
          {
            onsubmit: (event: Event) => {
              event.preventDefault();
              const link = url.value.trim();
              if (link !== '') location.assign(`${location.href.split(/[?#]/)[0]}?url=${encodeURIComponent(link)}${write({ part: 'check', targets: this.targets })}`);
            },
          },
          h('label', { for: 'model-url', class: 'visually-hidden' }, 'Link to a model'),
          url,
          h('button', { type: 'submit', class: 'button' }, 'Open'),
        ),
        h('p', { class: 'help' }, 'Your browser downloads the file from that host, if the host allows other pages to read it. Then the page forbids itself all connections.'),
      ),
      this.input,
    );
    this.element = h(
      'div',
      { class: 'check' },
      h(
        'div',
        { class: 'query' },
        h('h1', {}, 'Does this model mean the same on other runtimes?'),
        h('p', { class: 'lead' }, 'Broadaxe reads the structure of the model, not its weights, and judges each broadcasting node for each runtime.'),
        this.targetBox,
        this.zone,
        h('p', { class: 'privacy' }, this.sentBadge, ' ', this.sentLine, this.readLine),
      ),
      this.result,
    );
    if (!hasCheck()) {
      this.zone.replaceChildren(h('p', { class: 'zone-title' }, 'This copy of the page cannot check models'), h('p', { class: 'help' }, 'It was built without the check module.'));
    }
    checker.onread = () => this.counts();
    onRequest(() => this.counts());
    this.renderTargets();
    this.counts();
  }

  show(state: CheckState): void {
    const same = state.targets.join() === this.targets.join();
    this.targets = state.targets;
    this.renderTargets();
    if (!this.started && hasCheck()) {
      this.started = true;
      void this.start();
    } else if (!same && this.opened && state.example === this.example) void this.run();
    if (state.example !== this.example || (state.example !== undefined && this.files.length === 0)) {
      this.example = state.example;
      const base64 = state.example !== undefined && Object.hasOwn(EXAMPLES, state.example) ? EXAMPLES[state.example] : undefined;
      if (base64 !== undefined && state.example !== undefined && hasCheck()) this.load([new File([bytesOf(base64)], state.example)]);
      else if (!same && this.opened) void this.run();
    }
  }

  /** Reads the list of targets, and opens the model of the address. */
  private async start(): Promise<void> {
    const links = linkedModels();
    if (links.length > 0) void this.follow(links);
    try {
      await listTargets();
      this.renderTargets();
    } catch (error) {
      this.fail('The check module does not start', error);
    }
  }

  private async follow(links: string[]): Promise<void> {
    try {
      const files: File[] = [];
      for (const link of links) {
        files.push(await fetchModel(link, (text) => this.busy(text, null)));
      }
      this.take(files);
    } catch (error) {
      this.fail('The model was not downloaded', error);
    } finally {
      forbid();
      this.counts();
    }
  }

  /** Shows that files are over the page. */
  over(on: boolean): void {
    this.zone.classList.toggle('over', on);
  }

  /** A model replaces the files; files of weights are added to the model that is open. */
  take(files: File[]): void {
    if (!hasCheck()) return;
    if (this.example !== undefined) {
      this.example = undefined;
      this.go({ part: 'check', targets: this.targets }, false);
    }
    this.load(files);
  }

  private load(files: File[]): void {
    const wanted = this.opened?.files_wanted.map(baseName) ?? [];
    const companions = this.opened !== null && files.every((file) => !MODELS.test(file.name) && (wanted.includes(file.name) || WEIGHTS.test(file.name)));
    this.files = companions ? [...this.files.filter((old) => !files.some((file) => file.name === old.name)), ...files] : files;
    void this.open();
  }

  private counts(): void {
    // A download is a request, which the browser sends to the host of the link.
    this.sentBadge.replaceChildren(linkedModels().length > 0 ? '0 bytes of the model sent' : '0 bytes sent');
    this.sentLine.replaceChildren(networkSentence(checker.requests));
    const all = this.files.reduce((sum, file) => sum + file.size, 0);
    this.readLine.replaceChildren(all > 0 ? ` Read: ${size(checker.read)} of ${size(all)}.` : '');
  }

  private busy(text: string, stop: (() => void) | null): void {
    swap(this.result, h('section', { class: 'verdict busy', 'aria-label': 'Result' }, h('p', {}, h('span', { class: 'spinner', 'aria-hidden': 'true' }), text), stop && h('button', { type: 'button', class: 'button', onclick: stop }, 'Stop')));
    announce(text, 800);
  }

  private fail(title: string, error: unknown): void {
    const text = said(error);
    this.opened = null;
    swap(
      this.result,
      h(
        'section',
        { class: 'verdict none', 'aria-label': 'Result' },
        h('h2', {}, title),
        h('p', { class: 'message' }, text),
        this.files.length > 0 && h('p', {}, h('button', { type: 'button', class: 'button', onclick: () => void this.open() }, 'Try again')),
      ),
    );
    announce(`${title}. ${text}`, 0);
  }

  private async open(): Promise<void> {
    this.turn += 1;
    const mine = this.turn;
    const main = mainOf(this.files);
    const name = this.files[main]?.name ?? '';
    this.zone.classList.add('small');
    this.zoneTitle.textContent = 'Drop another model';
    this.opened = null;
    this.filter = { severity: '', target: '', text: '' };
    checker.open(this.files);
    this.counts();
    this.busy(`Reading ${name} …`, () => checker.stop('You stopped the check.'));
    try {
      const opened = await checker.ask<Opened>({ do: 'open', files: this.files.map((file) => ({ name: file.name, size: file.size })), main });
      if (mine !== this.turn) return;
      if (opened.error !== undefined) {
        this.fail(`${name} was not read`, `${opened.error}`);
        return;
      }
      // The browser gives files without their folders.
      opened.files_wanted = [...new Set(opened.files_wanted.map(baseName))].filter((wanted) => !this.files.some((file) => file.name === wanted));
      this.opened = opened;
      await this.run();
    } catch (error) {
      if (mine === this.turn) this.fail(`${name} was not checked`, error);
    }
  }

  /** The runtimes to check for. Where the address names none, those that no model in this format comes to are left out. */
  private asked(): string[] {
    const named = this.targets.join() !== TARGETS.join();
    return this.targets.filter((name) => named || this.opened?.unreached.includes(name) !== true);
  }

  private async run(): Promise<void> {
    this.turn += 1;
    const mine = this.turn;
    const name = this.opened?.name ?? '';
    this.renderTargets();
    this.busy(`Checking ${name} for ${this.asked().map(titleOf).join(', ')} …`, () => checker.stop('You stopped the check.'));
    try {
      const checked = await checker.ask<Checked>({ do: 'check', targets: this.asked() });
      if (mine !== this.turn) return;
      if (checked.error !== undefined) {
        const opened = this.opened;
        this.fail(`${name} was not checked`, checked.error);
        this.opened = opened;
        return;
      }
      this.render(checked);
    } catch (error) {
      if (mine === this.turn) this.fail(`${name} was not checked`, error);
    }
  }

  private renderTargets(): void {
    const listed = known.map((target) => (target.name === 'rank<=N' ? { ...target, name: 'rank<=4' } : target));
    const canonical = (name: string): string => listed.find((target) => target.name === name || target.aliases.includes(name))?.name ?? name;
    const selected = new Set(this.asked().map(canonical));
    const versions = listed.flatMap((target) => target.versions.slice(0, -1).map((version) => `${target.name}@${version}`));
    const names = [...new Set([...(listed.length > 0 ? listed.map((target) => target.name) : TARGETS), ...selected, ...versions])];
    const chip = (name: string): HTMLElement => {
      const box = h('input', { type: 'checkbox', id: `target-${name}`, 'data-key': `target-${name}` });
      box.checked = selected.has(name);
      box.addEventListener('change', () => {
        if (box.checked) selected.add(name);
        else selected.delete(name);
        if (selected.size === 0) {
          box.checked = true;
          announce('At least one runtime is needed', 0);
          return;
        }
        this.go({ part: 'check', targets: names.filter((one) => selected.has(one)), ...(this.example === undefined ? {} : { example: this.example }) }, false);
      });
      return h('label', { class: 'target-chip', title: listed.find((one) => one.name === name)?.summary }, box, h('span', {}, titleOf(name)));
    };
    const group = (title: string, chips: string[]): Child => chips.length > 0 && h('fieldset', { class: 'target-group' }, h('legend', {}, title), h('div', { class: 'target-chips' }, chips.map(chip)));
    const places = [...new Set(listed.map((target) => target.deployment))];
    const placed = places.map((place) => [place, listed.filter((target) => target.deployment === place).map((target) => target.name)] as const);
    const all = placed.flatMap(([, chips]) => chips);
    swap(
      this.chips,
      placed.map(([place, chips]) => group(place, chips)),
      group(places.length > 0 ? 'Selected' : '', names.filter((name) => !all.includes(name) && (selected.has(name) || places.length === 0))),
      versions.length > 0 && h('details', { class: 'versions', 'data-key': 'versions' }, h('summary', {}, 'Older versions'), h('div', { class: 'target-chips' }, versions.filter((name) => !selected.has(name)).map(chip))),
    );
    this.chosen.replaceChildren([...selected].map(titleOf).join(', '));
  }

  private render(checked: Checked, fixed: Fixed | null = null): void {
    const opened = this.opened;
    if (!opened) return;
    const { head, groups, undecided, hidden, fixable } = checked.grouped;
    const after = fixed?.after ?? null;
    const total = this.files[mainOf(this.files)]?.size ?? 0;
    const wrong = groups.filter((group) => group.severity === 'error').length;
    const findings = groups.reduce((sum, group) => sum + group.members.length, 0);
    const nodes = byNode(groups);
    const open = after ? after.undecided : undecided;
    const title = after
      ? `${after.left} of ${count(findings, 'finding')} left`
      : groups.length > 0 ? `${count(findings, 'finding')} in ${count(new Set(groups.flatMap((group) => group.members.map((at) => checked.record.findings[at]?.place))).size, 'node')}` : undecided !== null ? `${titled(capital(undecided))}.` : hidden === null ? 'No findings. All broadcasting nodes mean the same on these runtimes.' : 'No findings.';
    const kind = after ? (after.left === 0 ? 'good' : 'bad') : wrong > 0 ? 'bad' : undecided !== null ? 'undecided' : '';
    const list = h('div', { class: 'groups' });
    const shown = h('p', { class: 'help', role: 'status' });
    const fixButton = h('button', { type: 'button', class: 'button primary' }, 'Fix the model');
    fixButton.addEventListener('click', () => void this.fix(fixButton, checked));
    const found = [nodes.length > 1 && this.filters(checked, () => this.list(checked, nodes, list, shown)), shown, list];
    swap(
      this.result,
      h(
        'section',
        { class: `verdict ${kind}`, 'aria-label': 'Result' },
        h('div', { class: 'verdict-line' }, h('h2', {}, title), h('div', { class: 'actions' }, fixed ? this.downloads(fixed) : (fixable !== null || groups.some((group) => group.fix !== null)) && fixButton)),
        (groups.length > 0 || after) && open && h('p', { class: 'open-line' }, titled(capital(open)), '.'),
        fixed?.outcome && h('p', { class: fixed.offered && fixed.files.length > 0 ? 'notice good' : 'notice' }, capital(fixed.outcome), '.'),
        h('p', { class: 'file-line' }, h('code', {}, opened.name), [(FORMATS[opened.format] ?? opened.format) + (opened.opset === null || opened.opset === undefined ? '' : ` opset ${opened.opset}`), size(total), sentenceOf(head.nodes, opened.name), head.others].map((text) => text && h('span', {}, text))),
        opened.remark && h('p', { class: 'notice' }, capital(opened.remark), '.'),
        opened.files_wanted.length > 0 &&
          h(
            'div',
            { class: 'notice' },
            h('p', {}, 'Checked without ', opened.files_wanted.map((name, at) => [at > 0 ? ', ' : '', h('code', {}, name)]), '. Constants in it may decide shapes.'),
            h('button', { type: 'button', class: 'button', onclick: () => this.input.click() }, 'Add the file'),
          ),
      ),
      fixed &&
        h(
          'section',
          { class: 'card fixed' },
          h('h2', {}, fixed.summary.length === 0 ? 'Nothing was changed' : 'Changes'),
          h('ul', {}, fixed.summary.map((text) => h('li', {}, text))),
          fixed.left.length > 0 && [h('h2', {}, 'Not fixed'), h('ul', {}, fixed.left.map((text) => h('li', {}, text)))],
        ),
      h(
        'section',
        { 'aria-labelledby': 'targets-title' },
        h('h2', { id: 'targets-title', class: 'section-title' }, 'Results by runtime'),
        h(
          'ul',
          { class: 'card counts' },
          head.targets.map(({ name, counts }) => {
            const line = (label: string, text = '', targets: TargetCounts[] = []): Child => h('div', {}, label && h('span', { class: 'quiet' }, label), h('span', {}, text), bar(targets.find((one) => one.name === name)));
            return h('li', { class: after ? 'two' : '' }, h('b', {}, titleOf(name)), line(after ? 'before' : '', counts, checked.record.targets), after && line('after', after.counts.find((one) => one.name === name)?.counts, after.targets));
          }),
        ),
        remarks(head.targets),
        h('p', { class: 'help legend' }, VERDICTS.filter((verdict) => checked.record.targets.some((one) => Number(one[verdict] ?? 0) > 0)).map((verdict) => h('span', {}, h('i', { class: `bar-${verdict}`, 'aria-hidden': 'true' }), shownVerdict(verdict)))),
      ),
      groups.length > 0 &&
        (after
          ? h('details', { class: 'card nodes' }, h('summary', {}, `${count(findings, 'finding')} before the fix`), h('div', { class: 'nodes-body' }, found))
          : h('section', { 'aria-labelledby': 'findings-title' }, h('h2', { id: 'findings-title', class: 'section-title' }, 'Findings', fixable && h('span', { class: 'quantity' }, fixable.split('\n')[0]?.replace(/:$/, ''))), found)),
      hidden !== null && (open === null || !hidden.startsWith('not shown')) && h('p', { class: 'note' }, hidden),
      this.nodes(),
    );
    this.list(checked, nodes, list, shown);
    announce(`${title} in ${opened.name}`, 0);
  }

  private filters(checked: Checked, change: () => void): HTMLElement {
    const groups = checked.grouped.groups;
    const severities = [...new Set(groups.map((group) => group.severity))];
    const targets = [...new Set(groups.flatMap((group) => targetsOf(group, checked)))];
    const text = h('input', { type: 'search', id: 'filter-text', placeholder: 'node, code or text', 'data-key': 'filter-text', value: this.filter.text });
    text.addEventListener('input', () => {
      this.filter.text = text.value.trim().toLowerCase();
      change();
    });
    const choice = (id: 'severity' | 'target', label: string, values: string[]): Child =>
      values.length > 1 && [
        h('label', { for: `filter-${id}` }, label),
        (() => {
          const select = h('select', { id: `filter-${id}`, 'data-key': `filter-${id}` }, h('option', { value: '' }, 'all'), values.map((value) => h('option', { value }, titleOf(value))));
          select.value = this.filter[id];
          select.addEventListener('change', () => {
            this.filter[id] = select.value;
            change();
          });
          return select;
        })(),
      ];
    return h('div', { class: 'filters', role: 'search', 'aria-label': 'Filter the findings' }, choice('severity', 'Severity', severities), choice('target', 'Runtime', targets), h('label', { for: 'filter-text' }, 'Find'), text);
  }

  /** Shows the nodes that the filters select, some at a time. */
  private list(checked: Checked, nodes: Group[][], list: HTMLElement, shown: HTMLElement): void {
    const { severity, target, text } = this.filter;
    const findings = checked.record.findings;
    const selects = (group: Group): boolean =>
      (severity === '' || group.severity === severity) &&
      (target === '' || targetsOf(group, checked).includes(target)) &&
      (text === '' || [group.code, group.name, group.title, group.why, ...group.rows.map((row) => row.name)].some((one) => one.toLowerCase().includes(text)) || group.members.some((at) => `${findings[at]?.node} ${findings[at]?.op}`.toLowerCase().includes(text)));
    const found = nodes.map((groups) => groups.filter(selects)).filter((groups) => groups.length > 0);
    shown.textContent = found.length === nodes.length ? '' : `${found.length} of ${count(nodes.length, 'card')}`;
    list.replaceChildren();
    batches(list, found, BATCH, (groups) => card(groups, checked));
  }

  private nodes(): HTMLElement {
    const body = h('div', { class: 'nodes-body' });
    const box = h('details', { class: 'card nodes', 'data-key': 'nodes' }, h('summary', {}, 'All broadcasting nodes'), body);
    box.addEventListener('toggle', () => {
      if (!box.open || body.hasChildNodes()) return;
      body.append(h('p', { class: 'note' }, 'Reading …'));
      checker
        .ask<ModelNode[]>({ do: 'nodes' })
        .then((nodes) => {
          if (!Array.isArray(nodes)) throw new Error((nodes as { error?: string }).error ?? 'no list of nodes');
          const rows = h('tbody', {});
          const find = h('input', { type: 'search', id: 'node-text', placeholder: 'name or operator' });
          const fill = (): void => {
            const text = find.value.trim().toLowerCase();
            rows.replaceChildren();
            batches(rows, nodes.filter((node) => text === '' || `${node.name} ${node.op}`.toLowerCase().includes(text)), ROWS, (node) =>
              h(
                'tr',
                {},
                h('th', { scope: 'row' }, node.name || node.place),
                h('td', {}, node.op),
                h('td', { class: 'mono' }, node.shapes),
                h('td', { class: 'mono' }, node.result),
                h('td', {}, node.judged ? '' : h('span', { class: 'quiet' }, 'skipped'), h('button', { type: 'button', class: 'quiet-button', 'aria-label': `Download ${node.name || node.place} as a model`, onclick: (event: Event) => void extract(node.number, event.currentTarget as HTMLElement) }, 'Download')),
              ),
            );
          };
          find.addEventListener('input', fill);
          swap(
            body,
            h('div', { class: 'filters' }, h('label', { for: 'node-text' }, 'Find'), find),
            h('table', { class: 'table' }, h('thead', {}, h('tr', {}, ['Node', 'Operator', 'Operands', 'Result', 'One-node model'].map((name) => h('th', { scope: 'col' }, name)))), rows),
          );
          fill();
        })
        .catch((error: unknown) => swap(body, h('p', { class: 'message' }, said(error))));
    });
    return box;
  }

  private async fix(button: HTMLButtonElement, checked: Checked): Promise<void> {
    button.disabled = true;
    swap(button, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Fixing, and comparing both models …');
    announce('Fixing, and comparing both models');
    const mine = this.turn;
    try {
      const fixed = await checker.ask<Fixed>({ do: 'fix' });
      if (fixed.error !== undefined) throw new Error(fixed.error);
      if (mine === this.turn) this.render(checked, fixed);
    } catch (error) {
      button.replaceWith(h('p', { class: 'message' }, said(error)));
      announce(said(error), 0);
    }
  }

  /** A button that downloads a changed model. */
  private downloads({ name, files: made, offered }: Fixed): Child {
    const files = this.files;
    if (made.length === 0) return null;
    // The bytes that are kept are pieces of the files: they are never in memory.
    const blobs = made.map(({ name, pieces }) => ({
      name,
      blob: new Blob(pieces.map((piece) => ('new' in piece ? bytesOf(piece.new) : (files[piece.kept.file]?.slice(piece.kept.at, piece.kept.at + piece.kept.len) ?? new Blob([]))))),
    }));
    const bytes = blobs.reduce((sum, one) => sum + one.blob.size, 0);
    const download = h('button', { type: 'button', class: 'button primary', onclick: () => blobs.forEach((one) => save(one.name, one.blob)) }, `Download ${blobs.length === 1 ? blobs[0]?.name : `${name} and its files`}`, h('span', { class: 'button-note' }, size(bytes)));
    if (offered) return download;
    const offer = h('button', { type: 'button', class: 'button', onclick: () => offer.replaceWith(download) }, 'Offer it all the same');
    return offer;
  }
}

/** A sentence about the model, without the name in front. */
function sentenceOf(text: string, name: string): string {
  const start = `${visible(name)}: `;
  return text.startsWith(start) ? text.slice(start.length) : text;
}

/** What verdicts assume of the model, and where they do not hold, once for all targets of which the same is said. */
function remarks(targets: Checked['grouped']['head']['targets']): Child {
  const texts = new Map<string, string[]>();
  for (const target of targets) for (const remark of target.remarks) texts.set(remark, [...(texts.get(remark) ?? []), titleOf(target.name)]);
  return [...texts].map(([text, names]) => h('p', { class: 'help remark' }, h('b', {}, names.join(', ')), `: ${text}`));
}

function bar(numbers: TargetCounts | undefined): Child {
  if (!numbers) return null;
  const total = VERDICTS.reduce((sum, verdict) => sum + Number(numbers[verdict] ?? 0), 0);
  return h(
    'div',
    { class: 'bar', 'aria-hidden': 'true' },
    VERDICTS.filter((verdict) => Number(numbers[verdict] ?? 0) > 0).map((verdict) => h('i', { class: `bar-${verdict}`, style: `flex-grow:${Number(numbers[verdict]) / Math.max(1, total)}` })),
  );
}

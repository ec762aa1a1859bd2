/** Check: which broadcasting nodes of a model compute something else on other runtimes. */

import { lazyDrawing } from './cards.ts';
import { checker, hasCheck } from './checker.ts';
import { announce, count, h, save, scrollable, size, swap, visible, type Child } from './dom.ts';
import { fetchModel, forbid, linkedModels, networkSentence, onRequest } from './network.ts';
import { bytesOf, type Checked, type Extracted, type FindingDetail, type Fixed, type Group, type ModelNode, type Opened, type Row, type Target } from './protocol.ts';
import { plain, TARGETS, write, type CheckState } from './state.ts';
import { shownTarget } from './runtimes.ts';

/** The page that explains the codes of findings. */
const CODES = 'https://github.com/broadaxe/broadaxe/blob/main/docs/reference/codes.md';

/** The files that the build puts into the page, in base64. */
declare const EXAMPLES: Record<string, string>;

/** What the examples show. */
const EXAMPLE_TEXTS: Record<string, string> = {
  'face.onnx': 'a bias with the old attribute axis',
  'position.tflite': 'a table of positions',
};

const MODELS = /\.(onnx|xml|param|tflite|litertlm|pdmodel|json)(\.gz)?$/i;
const WEIGHTS = /\.(bin|data|weights?|pdiparams|onnx_data|raw|pb)$/i;
/** Groups, nodes and names that are added to the page at a time. */
const BATCH = 20;
const ROWS = 200;
const NAMES = 8;
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
  private known: Target[] = [];
  private files: File[] = [];
  private opened: Opened | null = null;
  private turn = 0;
  private started = false;
  private filter = { severity: '', target: '', text: '' };

  private readonly chips = h('div', { class: 'target-chips' });
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
        h('fieldset', { class: 'targets' }, h('legend', {}, 'Runtimes'), this.chips),
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
      this.known = await checker.ask<Target[]>({ do: 'targets' });
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
    const text = error instanceof Error ? error.message : String(error);
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
    this.busy(`Checking ${name} for ${this.asked().join(', ')} …`, () => checker.stop('You stopped the check.'));
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
    const listed = this.known.map((target) => (target.name === 'rank<=N' ? { ...target, name: 'rank<=4' } : target));
    const canonical = (name: string): string => listed.find((target) => target.name === name || target.aliases.includes(name))?.name ?? name;
    const selected = new Set(this.asked().map(canonical));
    const names = [...new Set([...(listed.length > 0 ? listed.map((target) => target.name) : TARGETS), ...selected])];
    const chip = (name: string): HTMLElement => {
      const target = listed.find((one) => one.name === name);
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
      return h('label', { class: 'target-chip', title: target?.summary }, box, h('span', {}, shownTarget(name)));
    };
    const versions = listed.flatMap((target) => target.versions.slice(0, -1).map((version) => `${target.name}@${version}`)).filter((name) => !names.includes(name));
    swap(
      this.chips,
      names.map(chip),
      versions.length > 0 && h('details', { class: 'versions', 'data-key': 'versions' }, h('summary', {}, 'Older versions'), h('div', { class: 'target-chips' }, (names.push(...versions), versions.map(chip)))),
    );
  }

  private render(checked: Checked): void {
    const opened = this.opened;
    if (!opened) return;
    const { head, groups, undecided, hidden, fixable } = checked.grouped;
    const total = this.files[mainOf(this.files)]?.size ?? 0;
    const wrong = groups.filter((group) => group.severity === 'error').length;
    const findings = groups.reduce((sum, group) => sum + group.members.length, 0);
    const title = groups.length > 0 ? `${count(findings, 'finding')}${findings > groups.length ? ` in ${count(groups.length, 'group')}` : ''}` : undecided !== null ? `${capital(undecided)}.` : hidden === null ? 'No findings. All broadcasting nodes mean the same on these runtimes.' : 'No findings.';
    const bars = checked.record.targets;
    const fixBox = h('div', { class: 'fix-box' });
    const fixButton = h('button', { type: 'button', class: 'button primary' }, 'Fix the model');
    fixButton.addEventListener('click', () => void this.fix(fixButton, fixBox));
    const list = h('div', { class: 'groups' });
    const shown = h('p', { class: 'help', role: 'status' });
    swap(
      this.result,
      h(
        'section',
        { class: `verdict ${wrong > 0 ? 'bad' : undecided !== null ? 'undecided' : ''}`, 'aria-label': 'Result' },
        h(
          'div',
          { class: 'verdict-line' },
          h('h2', {}, title),
          groups.some((group) => group.fix !== null) || fixable !== null ? h('div', { class: 'actions' }, fixButton) : null,
        ),
        h('p', { class: 'file-line' }, h('code', {}, opened.name), [(FORMATS[opened.format] ?? opened.format) + (opened.opset === null || opened.opset === undefined ? '' : ` opset ${opened.opset}`), size(total), sentenceOf(head.nodes, opened.name), head.others].map((text) => text && h('span', {}, text))),
        opened.remark && h('p', { class: 'notice' }, opened.remark.charAt(0).toUpperCase() + opened.remark.slice(1), '.'),
        opened.files_wanted.length > 0 &&
          h(
            'div',
            { class: 'notice' },
            h('p', {}, 'Checked without ', opened.files_wanted.map((name, at) => [at > 0 ? ', ' : '', h('code', {}, name)]), '. Constants in it may decide shapes.'),
            h('button', { type: 'button', class: 'button', onclick: () => this.input.click() }, 'Add the file'),
          ),
        fixBox,
      ),
      h(
        'section',
        { 'aria-labelledby': 'targets-title' },
        h('h2', { id: 'targets-title', class: 'section-title' }, 'Runtimes'),
        scrollable(h(
          'div',
          { class: 'table-box' },
          h(
            'table',
            { class: 'table' },
            h('thead', { class: 'visually-hidden' }, h('tr', {}, ['Runtime', 'Nodes', 'Share'].map((name) => h('th', { scope: 'col' }, name)))),
            h(
              'tbody',
              {},
              head.targets.map((target) => {
                const numbers = bars.find((one) => one.name === target.name);
                return h('tr', {}, h('th', { scope: 'row' }, target.name), h('td', {}, target.counts), h('td', { class: 'bar-cell' }, numbers && bar(numbers)));
              }),
            ),
          ),
        ), 'runtimes'),
        remarks(head.targets),
        h('p', { class: 'help legend' }, VERDICTS.map((verdict) => h('span', {}, h('i', { class: `bar-${verdict}`, 'aria-hidden': 'true' }), verdict))),
      ),
      groups.length > 0 &&
        h(
          'section',
          { 'aria-labelledby': 'findings-title' },
          h('h2', { id: 'findings-title', class: 'section-title' }, 'Findings', fixable && h('span', { class: 'quantity' }, fixable.split('\n')[0]?.replace(/:$/, ''))),
          groups.length > 1 && this.filters(checked, () => this.list(checked, list, shown)),
          shown,
          list,
        ),
      groups.length > 0 && undecided && h('p', { class: 'note' }, capital(undecided), '.'),
      hidden && h('p', { class: 'note' }, hidden),
      this.nodes(),
    );
    this.list(checked, list, shown);
    announce(`${title} in ${opened.name}`, 0);
  }

  private filters(checked: Checked, change: () => void): HTMLElement {
    const groups = checked.grouped.groups;
    const severities = [...new Set(groups.map((group) => group.severity))];
    const targets = [...new Set(groups.flatMap((group) => group.members.map((at) => checked.record.findings[at]?.target ?? '')))].filter((name) => name !== '');
    const text = h('input', { type: 'search', id: 'filter-text', placeholder: 'node, code or text', 'data-key': 'filter-text', value: this.filter.text });
    text.addEventListener('input', () => {
      this.filter.text = text.value.trim().toLowerCase();
      change();
    });
    const choice = (id: 'severity' | 'target', label: string, values: string[]): Child =>
      values.length > 1 && [
        h('label', { for: `filter-${id}` }, label),
        (() => {
          const select = h('select', { id: `filter-${id}`, 'data-key': `filter-${id}` }, h('option', { value: '' }, 'all'), values.map((value) => h('option', { value }, value)));
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

  /** Shows the groups that the filters select, some at a time. */
  private list(checked: Checked, list: HTMLElement, shown: HTMLElement): void {
    const { severity, target, text } = this.filter;
    const findings = checked.record.findings;
    const found = checked.grouped.groups.filter(
      (group) =>
        (severity === '' || group.severity === severity) &&
        (target === '' || group.members.some((at) => findings[at]?.target === target)) &&
        (text === '' || [group.code, group.name, group.title, group.why, ...group.rows.map((row) => row.name)].some((one) => one.toLowerCase().includes(text)) || group.members.some((at) => `${findings[at]?.node} ${findings[at]?.op}`.toLowerCase().includes(text))),
    );
    const all = checked.grouped.groups.length;
    shown.textContent = found.length === all ? '' : `${found.length} of ${count(all, 'group')}`;
    list.replaceChildren();
    batches(list, found, BATCH, (group) => this.group(group, checked));
  }

  private group(group: Group, checked: Checked): HTMLElement {
    const findings = checked.record.findings;
    const first = findings[group.members[0] ?? -1];
    return h(
      'article',
      { class: `card finding s-${group.severity}` },
      h(
        'header',
        {},
        h('span', { class: `badge s-${group.severity}` }, group.severity),
        h('h3', {}, group.title),
        h('a', { class: 'code-link', href: `${CODES}#${group.code.toLowerCase()}-${group.name}`, rel: 'noopener noreferrer' }, group.code, ' ', h('span', {}, group.name)),
      ),
      group.why !== '' && h('p', { class: 'why-line' }, capital(group.why), '.'),
      detail(group),
      group.fix !== null && h('div', { class: 'fix-line' }, h('b', {}, 'Fix'), h('span', {}, capital(group.fix).replace(/\.?$/, '.'))),
      h(
        'div',
        { class: 'members' },
        first && h('button', { type: 'button', class: 'quiet-button', onclick: (event: Event) => void this.extract(first.number, event.currentTarget as HTMLElement) }, 'Download this node as a model'),
        askLink(group.rows),
        group.also.length > 0 && h('p', { class: 'also' }, h('span', { class: 'quiet' }, `The same in ${count(group.members.length - 1, 'other node')}: `), group.also.slice(0, NAMES).map((name, at) => [at > 0 ? ', ' : '', h('code', {}, name)]), group.also.length > NAMES && `, and ${group.also.length - NAMES} more`),
        group.members.length > 1 && this.members(group, checked),
      ),
    );
  }

  private members(group: Group, checked: Checked): HTMLElement {
    const body = h('div', { class: 'member-list' });
    const box = h('details', {}, h('summary', {}, `All ${group.members.length.toLocaleString('en')} nodes`), body);
    box.addEventListener('toggle', () => {
      if (!box.open || body.hasChildNodes()) return;
      batches(body, group.members, ROWS, (at) => {
        const finding = checked.record.findings[at];
        const inside = h('div', { class: 'member-body' });
        const one = h('details', {}, h('summary', {}, h('code', {}, finding?.node || finding?.place), h('span', { class: 'quiet' }, ` ${finding?.op}, ${finding?.place}`)), inside);
        one.addEventListener('toggle', () => {
          if (!one.open || inside.hasChildNodes()) return;
          inside.append(h('p', { class: 'note' }, 'Reading …'));
          checker
            .ask<FindingDetail>({ do: 'finding', index: at })
            .then((answer) => swap(inside, answer.error === undefined ? detail(answer) : h('p', { class: 'message' }, answer.error)))
            .catch((error: unknown) => swap(inside, h('p', { class: 'message' }, error instanceof Error ? error.message : String(error))));
        });
        return one;
      });
    });
    return box;
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
                h('td', {}, node.judged ? '' : h('span', { class: 'quiet' }, 'skipped'), h('button', { type: 'button', class: 'quiet-button', 'aria-label': `Download ${node.name || node.place} as a model`, onclick: (event: Event) => void this.extract(node.number, event.currentTarget as HTMLElement) }, 'Download')),
              ),
            );
          };
          find.addEventListener('input', fill);
          swap(
            body,
            h('div', { class: 'filters' }, h('label', { for: 'node-text' }, 'Find'), find),
            scrollable(h('div', { class: 'table-box' }, h('table', { class: 'table' }, h('thead', {}, h('tr', {}, ['Node', 'Operator', 'Operands', 'Result', 'One-node model'].map((name) => h('th', { scope: 'col' }, name)))), rows)), 'nodes'),
          );
          fill();
        })
        .catch((error: unknown) => swap(body, h('p', { class: 'message' }, error instanceof Error ? error.message : String(error))));
    });
    return box;
  }

  private async extract(number: number, button: HTMLElement): Promise<void> {
    try {
      const answer = await checker.ask<Extracted>({ do: 'extract', number });
      if (answer.error !== undefined) throw new Error(answer.error);
      save(answer.name, new Blob([bytesOf(answer.bytes)]));
      announce(`${answer.name} downloaded`, 0);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      button.after(h('span', { class: 'message' }, ` ${text}`));
      announce(text, 0);
    }
  }

  private async fix(button: HTMLButtonElement, box: HTMLElement): Promise<void> {
    const files = this.files;
    button.disabled = true;
    swap(box, h('p', { class: 'note' }, h('span', { class: 'spinner', 'aria-hidden': 'true' }), 'Fixing, and computing both models to compare them …'));
    try {
      const fixed = await checker.ask<Fixed>({ do: 'fix' });
      if (fixed.error !== undefined) throw new Error(fixed.error);
      // The bytes that are kept are pieces of the files: they are never in memory.
      const made = fixed.files.map((file) => ({
        name: file.name,
        blob: new Blob(file.pieces.map((piece) => ('new' in piece ? bytesOf(piece.new) : (files[piece.kept.file]?.slice(piece.kept.at, piece.kept.at + piece.kept.len) ?? new Blob([]))))),
      }));
      const downloads = h('div', { class: 'actions' });
      const offer = (): void => swap(downloads, made.map((file) => h('button', { type: 'button', class: 'button primary', onclick: () => save(file.name, file.blob) }, `Download ${file.name}`, h('span', { class: 'button-note' }, size(file.blob.size)))));
      if (fixed.offered) offer();
      else if (made.length > 0) swap(downloads, h('button', { type: 'button', class: 'button', onclick: offer }, 'Offer it all the same'));
      swap(
        box,
        h(
          'div',
          { class: 'card fixed' },
          h('h3', {}, made.length === 0 ? 'Nothing was changed' : !fixed.offered ? 'The changed model is not verified' : fixed.wrong ? 'The model, fixed in part' : 'The fixed model'),
          fixed.outcome !== null && h('p', { class: fixed.offered ? 'note' : 'notice' }, capital(fixed.outcome), '.'),
          h('ul', {}, fixed.summary.map((text) => h('li', {}, text))),
          fixed.left.length > 0 && [h('h4', {}, 'Not fixed'), h('ul', {}, fixed.left.map((text) => h('li', {}, text)))],
          downloads,
        ),
      );
      announce(fixed.offered && made.length > 0 ? `${fixed.name} is ready` : (fixed.outcome ?? 'Nothing was changed'), 0);
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      swap(box, h('p', { class: 'message' }, text));
      announce(text, 0);
    } finally {
      button.disabled = false;
    }
  }
}

/** Adds elements in batches: the next one when the end of the list comes into view. */
function batches<T>(parent: HTMLElement, items: T[], step: number, make: (item: T) => HTMLElement): void {
  let at = 0;
  const tag = parent.tagName === 'TBODY' ? 'tr' : 'div';
  const more = (): void => {
    const end = Math.min(items.length, at + step);
    for (; at < end; at += 1) parent.append(make(items[at] as T));
    if (at >= items.length) return;
    const button = h('button', { type: 'button', class: 'button' }, `Show more (${(items.length - at).toLocaleString('en')} left)`);
    const end_ = tag === 'tr' ? h('tr', {}, h('td', { colspan: 5 }, button)) : h('div', { class: 'more' }, button);
    const next = (): void => {
      observer.disconnect();
      end_.remove();
      more();
    };
    button.addEventListener('click', next);
    const observer = new IntersectionObserver((entries) => {
      if (end_.isConnected && entries.some((entry) => entry.isIntersecting) && document.activeElement !== button) next();
    });
    parent.append(end_);
    observer.observe(end_);
  };
  more();
}

/** A link to what the rules say about the shapes of a node. */
function askLink(rows: Row[]): Child {
  const shapes = rows.slice(0, -1).map((row) => row.shape);
  if (shapes.length < 2 || shapes.some((shape) => !/^\([\w, .?]*\)$/.test(shape))) return null;
  return h('a', { class: 'quiet-button', href: write({ part: 'ask', address: shapes.map(plain).join('+') }) }, 'Open these shapes in Ask');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A sentence about the model, without the name in front. */
function sentenceOf(text: string, name: string): string {
  const start = `${visible(name)}: `;
  return text.startsWith(start) ? text.slice(start.length) : text;
}

/** What verdicts assume of the model, and where they do not hold, once for all targets of which the same is said. */
function remarks(targets: Checked['grouped']['head']['targets']): Child {
  const texts = new Map<string, string[]>();
  for (const target of targets) for (const remark of target.remarks) texts.set(remark, [...(texts.get(remark) ?? []), target.name]);
  return [...texts].map(([text, names]) => h('p', { class: 'help remark' }, h('code', {}, names.join(', ')), `: ${text}`));
}

function bar(numbers: Record<string, number | string>): HTMLElement {
  const total = VERDICTS.reduce((sum, verdict) => sum + Number(numbers[verdict] ?? 0), 0);
  return h(
    'div',
    { class: 'bar', 'aria-hidden': 'true' },
    VERDICTS.filter((verdict) => Number(numbers[verdict] ?? 0) > 0).map((verdict) => h('i', { class: `bar-${verdict}`, style: `flex-grow:${Number(numbers[verdict]) / Math.max(1, total)}` })),
  );
}

function detail({ node, rows, notes: said, drawing: drawn }: { node: string; rows: Row[]; notes: [string, string][]; drawing: Group['drawing'] }): Child {
  const notes: [string, string][] = [['node', node], ...said];
  const table = h(
    'table',
    { class: 'rows' },
    h('thead', { class: 'visually-hidden' }, h('tr', {}, ['Tensor', 'Shape', 'Where it comes from'].map((name) => h('th', { scope: 'col' }, name)))),
    h(
      'tbody',
      {},
      rows.map((row) => [
        h('tr', {}, h('th', { scope: 'row' }, row.name), h('td', { class: 'mono' }, row.shape), h('td', { class: 'quiet' }, row.origin)),
        row.label && h('tr', { class: 'label-row' }, h('td', { colspan: 3 }, row.label)),
      ]),
    ),
  );
  return h(
    'div',
    { class: 'finding-body' },
    drawn && lazyDrawing(drawn, 'drawing of the node'),
    h(
      'div',
      { class: 'facts' },
      rows.length > 0 && scrollable(h('div', { class: 'rows-box' }, table), 'operands'),
      h('dl', { class: 'notes' }, notes.map(([label, text]) => h('div', {}, h('dt', {}, capital(label)), h('dd', {}, text)))),
    ),
  );
}

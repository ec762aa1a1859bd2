/** The requests' answers. The npm package documents them with these comments. */

/** A drawing in the forms in which it can be shown and copied. */
export interface Drawing {
  /** A complete SVG image. All text in it is escaped. */
  svg: string;
  /** The drawing as plain text. */
  text: string;
  /** The drawing in words, for people who do not see it. */
  alternative: string;
  /** The drawing as a Markdown table. */
  markdown: string;
}

/** A rule, as an answer names it. */
export interface RuleUse {
  /** The rule with its parameters: `pdpd axis=-1`. */
  rule: string;
  /** The rule without its parameters: `pdpd`. */
  name: string;
  /** The frameworks and operators that follow it: `OpenVINO pdpd`. */
  title: string;
  summary: string;
  source: string;
  /** Conditions on symbolic dims under which the rule accepts the shapes. */
  guards?: string[];
}

/** Rules that read the same elements, for all sizes that two of them accept. */
export interface Meaning {
  number: number;
  rules: RuleUse[];
  /** The shape of the result: `(2, 3, 4)`. */
  result: string;
  drawing: Drawing;
}

/** A rule that rejects the shapes. */
export interface Reject extends RuleUse {
  reason: string;
  message: string;
  drawing: Drawing | null;
  /** The rule can only decide when the dims are known. */
  is_undecided: boolean;
}

/** What one rule computes for an element. */
export interface Side {
  rule: string;
  /** `a(1,) + b(0, 1) = 1 + 1 = 2`. */
  sentence: string;
}

/** An element on which two rules differ. */
export interface Difference {
  title: string;
  /** `null` where the results have no elements, and differ in shape. */
  element: number[] | null;
  left: Side;
  right: Side;
  drawing: Drawing;
}

/** Which elements of the operands feed each element of the result, all in row-major order. */
export interface Elements {
  shape: number[];
  operands: number[][];
  sources: number[][];
}

/** A rule's entry in the record of `broadaxe compare --json`. */
export interface Compared {
  rule: string;
  meaning?: number;
  shape?: (number | string)[] | null;
  strides?: (number[] | null)[] | null;
  periods?: (number[] | null)[] | null;
  error?: { kind: string; message: string };
}

/** What every rule says about shapes. */
export interface Answer {
  /** The address in its canonical form. */
  address?: string;
  /** Why the address cannot be read. All fields but `operands` are then missing. */
  error?: string;
  /** The texts of the operands in the address, as a field shows each. */
  operands: string[];
  /** The shapes of the operands: `(2, 3)`. */
  shapes: string[];
  /** The record of `broadaxe compare --json`. */
  compare: { shapes: (number | string)[][]; rules: Compared[] };
  /** How far the rules agree, in one or two sentences. */
  heading: string;
  /** What the heading leaves open, in one sentence. */
  note: string | null;
  /** The rules mean the `same`, two `differ`, `none` accepts the shapes, or it depends on the sizes: `open`. */
  kind: 'same' | 'differ' | 'none' | 'open';
  /** Some dims are symbolic. */
  is_open: boolean;
  /** One entry per distinct result, with the rules that give it. */
  meanings: Meaning[];
  rejects: Reject[];
  differences: Difference[];
  /** The rule of the address, or `numpy`. */
  chosen: {
    rule: string;
    is_default: boolean;
    /** The record of `broadaxe explain --json`. */
    json?: { shape?: (number | string)[] };
    drawing: Drawing | null;
    error?: string;
    elements?: Elements | null;
  };
  /** The answer as Markdown, as a command, and as tests. */
  copy: { markdown: string; command?: string; pytest?: string; rust?: string; cpp?: string };
}

/** A rule with its parameters. */
export interface Rule {
  name: string;
  title: string;
  aliases: string[];
  summary: string;
  source: string;
  /** The least and the largest number of operands. */
  operands: [number, number];
  /** `null` without the parameter; `''` if it has no default. */
  axis: null | '' | number;
  modes: string[];
  target: boolean;
  axes: boolean;
}

/** A runtime that models can be checked for. */
export interface Target {
  name: string;
  /** The name that people know it by: `Core ML`. */
  title: string;
  /** Where models run on it: `Phone`. */
  deployment: string;
  aliases: string[];
  versions: string[];
  summary: string;
}

/** A model that was read. */
export interface Opened {
  format: string;
  opset: number | null;
  nodes: number;
  name: string;
  /** Files of weights that the model names and that were not given. */
  files_wanted: string[];
  /** The runtimes that no tested converter brings models in this format to. */
  unreached: string[];
  /** What keeps runtimes from loading the file. */
  remark?: string | null;
  error?: string;
}

/** An operand or the result of a node. */
export interface Row {
  name: string;
  shape: string;
  origin: string;
  label?: string | null;
}

/** How serious a finding is. */
export type Severity = 'error' | 'warning' | 'note' | 'info';

/** Findings with the same cause. */
export interface Group {
  severity: Severity;
  code: string;
  name: string;
  title: string;
  why: string;
  /** Positions in the record's list of findings. */
  members: number[];
  /** The names of further nodes, folded where they differ in numbers. */
  also: string[];
  /** The node that is shown: `bias1 (Add), #3`. */
  node: string;
  rows: Row[];
  notes: [string, string][];
  /** What `fix` changes, if it can. */
  fix: string | null;
  /** The node as the model means it and, where the runtime reads other elements, as it does. */
  drawings: Drawing[];
}

/** What a runtime does with a node. */
export interface Finding {
  node: string;
  op: string;
  place: string;
  number: number;
  target: string;
  verdict: string;
  code: string | null;
  reason: string;
}

/** How often each verdict was given for a runtime. */
export type TargetCounts = { name: string } & Record<string, number | string>;

/** The result of a check. */
export interface Checked {
  error?: string;
  /** The record of `broadaxe check --json` for this model. */
  record: { findings: Finding[]; targets: TargetCounts[] };
  /** What the command prints. */
  grouped: {
    head: { nodes: string; others: string | null; targets: { name: string; counts: string; remarks: string[] }[] };
    groups: Group[];
    /** How many nodes are unknown or unsupported, in a sentence. */
    undecided: string | null;
    hidden: string | null;
    fixable: string | null;
  };
}

/** One finding in full. */
export interface FindingDetail {
  error?: string;
  node: string;
  rows: Row[];
  notes: [string, string][];
  drawings: Drawing[];
}

/** A broadcasting node of a model. */
export interface ModelNode {
  number: number;
  name: string;
  op: string;
  place: string;
  shapes: string;
  result: string;
  judged: boolean;
}

/** A part of a changed file: bytes of a file that was given, or new bytes in base64. */
export type Piece = { kept: { file: number; at: number; len: number } } | { new: string };

/** A changed model. */
export interface Fixed {
  error?: string;
  name: string;
  /** The changes. */
  summary: string[];
  /** What was found out about the changed model. */
  outcome: string | null;
  /** Whether the files are offered; where they are not, the page gives them only to those who ask again. */
  offered: boolean;
  /** Whether a node is left that a runtime computes otherwise or rejects. */
  wrong: boolean;
  /** Findings that were not fixed, with the reason. */
  left: string[];
  files: { name: string; pieces: Piece[] }[];
  /** What a check of the changed model finds: how many findings are left, and the verdicts. */
  after: { left: number; targets: TargetCounts[]; counts: { name: string; counts: string }[]; undecided: string | null } | null;
}

/** A model of one node. */
export interface Extracted {
  error?: string;
  name: string;
  bytes: string;
}

/** An element on which a runtime differs. */
export interface Counterexample {
  element: number[];
  reads: number[][];
  target_reads: number[][];
  numbers: number[];
  target_numbers: number[];
  here: number;
  there: number;
}

/** What each runtime does with an `Add` of two shapes. */
export interface Runtimes {
  error?: string;
  rows: { target: string; title: string; version: string | null; verdict: string; reason: string; evidence: string | null; source: string | null; counterexample: Counterexample | null }[];
}

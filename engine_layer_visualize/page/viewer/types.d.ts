// The shapes that the page's modules exchange. `tsc` reads this file; the page does not hold it.
//
// Nodes are numbered: the layers first, in order of execution, then the engine's ports (inputs,
// outputs, loose tensors). A box is what is drawn: a node, or a collapsed group of nodes. Lengths are in
// the page's units, which are pixels at scale 1; times are in milliseconds; shares go from 0 to 1.

export type Color = string; // "#rrggbb"
/** A number into the table of strings; -1: no text. */
export type Text = number;
export type ById<T> = Map<number, T>;
export type Numbers = ArrayLike<number>;

// ---- the data elements, written by html.py, data.py, findings.py and groups.py of page/ -----------

export interface Head {
  index: number;
  name: string;
  /** `Engine 0 of net` */
  title: string;
  /** `54 layers` */
  size: string;
  layers: number;
  edges: number;
  ms: number | null;
  estimated: boolean;
  file: string;
  lines: [number, number];
  node: string;
  tensorrt: string | null;
  /** The name of the GPU. */
  device: string | null;
  /** Median and mean of the GPU compute time in ms, as trtexec measured it. */
  gpu: [median: number, mean: number | null] | null;
  /** The shapes of all inputs when the layers were timed, and when trtexec ran the engine; null: not known. */
  inputs: (number[][] | null)[];
  constrains: boolean;
  profiling: string;
}

/** `list`: a value for each layer; `full`: a value or null; `sparse`: layer, value, layer, value …; `set`: layers. */
export type Form = "list" | "full" | "sparse" | "set";

/** Of `Layers`, those that are a field's; of a `Fact`, `key` is the end of its path in the JSON. */
export type FactName = keyof Layers | "index" | "best";
export type Fact = Record<"key" | "unit" | "label" | "doc", string>;

/** The columns of layers, decoded. Their names, forms and units stand in `data.LAYERS`. */
export interface Layers {
  scope: Text[];
  name: Text[];
  type: Text[];
  title: Text[];
  subtitle: Text[];
  kind: Text[];
  line: number[];
  also: ById<number>;
  tactic: Text[];
  kernel: Text[];
  raw: ById<Text>;
  holds: ById<Text>;
  /** Why a reformat is there. */
  reason: ById<Text>;
  macs: ById<number>;
  traffic: ById<number>;
  /** Layers that the DLA runs. */
  dla: Set<number>;
  ms: (number | null)[];
  share: (number | null)[];
  profile: number[];
  median: ById<number>;
  total: ById<number>;
  unsteady: Set<number>;
  missing: Set<number>;
  idle: Set<number>;
  /** Of a mark the layer at whose box it stands. */
  host: ById<number>;
  precision: number[];
  dtype: Text[];
  /** From what that is known. */
  source: ById<Text>;
  tf32: ById<Text>;
  bytes: (number | null)[];
  in: number[][];
  out: number[][];
  onnx: ById<Text[]>;
  inside: ById<Contents>;
  /** A number into `Engine.records`. */
  attributes: ById<number>;
  facts: ById<Text[]>;
}

export interface Tensors {
  /** Columns with their labels. */
  fields: ["dtype" | "dims" | "format" | "strides" | "bytes", string][];
  name: Text[];
  dtype: Text[];
  dims: Text[];
  format: Text[];
  strides: Text[];
  /** The format in short words, where it is known. */
  layout: Text[];
  /** In words. */
  bytes: Text[];
  precision: number[];
}

export interface Ports {
  name: Text[];
  kind: Text[];
  entry: number[];
  /** `input`; in a sentence: `engine input`. */
  word: Text[];
  words: Text[];
  tensor: number[];
}

/** Text, layers, timed layers, ms, share, layers without a kernel. */
export type TimeRow = [Text, number, number, number | null, number | null, number];

export interface ProfileTimes {
  number: number;
  ms: number | null;
  /** `measured, 961 runs` */
  kind: string;
  /** What a layer's time is called: `mean`, `one run`, `builder's estimate`. */
  label: string;
  layers: number;
  total: string;
  /** What the total is, and how long trtexec says that an inference took; empty where that is not known. */
  inference: string;
  coverage: string;
  brief: string;
  ranked: boolean;
  of: string;
  reformats: string;
  ranking: number[];
  types: TimeRow[];
  precisions: TimeRow[];
}

export interface Times {
  kind: "measured" | "estimated" | null;
  /** Of sums over an unknown number of runs, these words: then `ms` is null, and there are shares. */
  sum: string;
  shown: number;
  hottest: number;
  /** Why a layer that runs a kernel has no time. */
  missing: string;
  /** What it means that a layer's time is unsteady. */
  unsteady: string;
  unstable: Text[];
  profiles: ProfileTimes[];
}

/** Row and slot of each node; net of each edge, -1 where it is cut; lane of each net. */
export interface Layout {
  width: number;
  flag: number;
  height: number[];
  row: number[];
  slot: number[];
  netOf: number[];
  gutter: (number | null)[];
  track: number[];
}

/**
 * Those between layers and ports, then those from or to a box inside of a ForeignNode: the last `instead.length`.
 * `instead`: the edge whose place one takes while the box at its end is drawn; -1: it is inside of one layer.
 */
export interface Edges {
  from: number[];
  to: number[];
  tensor: number[];
  instead: number[];
}

/**
 * The boxes that ForeignNodes unfold into: the layer of each, texts, ms and share of kernels. `estimate`: the ms that the
 * builder measured of an operation's fastest kernel, which are part of no sum; `runs`: the nodes that it runs together.
 */
export interface Held {
  of: number[];
  title: Text[];
  subtitle: Text[];
  name: Text[];
  ms: (number | null)[];
  share: (number | null)[];
  estimate: (number | null)[];
  kernel: Text[];
  precision: Text[];
  runs: Text[];
}

/**
 * An outer one has a lower number than those inside. `label`: what of its path the group around does not say; `head`:
 * the same for a box, with the last name around it where others have that label.
 * `depth`: how many are around it. `profile`: whether it is an optimisation profile. `nodes` are ascending.
 * Of boxes inside of a ForeignNode: `owner` is its layer, `words` what they are, `brief` the same for a box; `top`: all
 * of them.
 * `members`: `nodes`, and the boxes inside of them.
 */
export interface Group {
  path: string;
  label: string;
  head: string;
  depth: number;
  profile: boolean;
  nodes: number[];
  owner?: number;
  top?: boolean;
  /** It is unfolded at first. */
  opened?: boolean;
  words?: string;
  brief?: string;
  members: number[];
}

/** What a ForeignNode holds: words, nodes, operators of parts that are alike; how many nodes. */
export type Contents = [[words: Text, nodes: number, operators: Text][], number];

export interface RawFindings {
  /** Code, name, severity, summary, what to do. */
  rules: [Text, Text, Text, Text, Text][];
  /** `evidence`: line of the log, text, line, text … */
  list: {
    rule: number[];
    stake: Text[];
    share: (number | null)[];
    saves: (number | null)[];
    shown: boolean[];
    layers: number[][];
    about: number[][];
    message: Text[];
    advice: Text[];
    evidence: (number | null)[][];
    badge: number[][];
  };
  /** How many of `list` each optimisation profile has. */
  counts: number[];
  /** What all findings of each may save: ms, share. */
  gains: [ms: number | null, share: number | null][];
}

/** Of an optimisation profile. What its layers compute and move stands in `Layers`. */
export interface Roofline {
  device: string;
  shown: string;
  /** Bytes per second, and in words. */
  bandwidth: [number, string] | null;
  /** FLOP per second, words, place among the theme's precisions; the highest first. */
  roofs: [number, string, number][];
  /** The layers that are named. */
  worst: number[];
}

/** A logarithmic axis: its ends, where a value lies, and the powers of ten within. */
export interface Scale {
  low: number;
  high: number;
  at: (value: number) => number;
  decades: number[];
}

/** A layer in the roofline: FLOP per byte, FLOP per second; its place, radius, and place of its precision. */
export interface Dot {
  node: number;
  ms: number;
  intensity: number;
  rate: number;
  x: number;
  y: number;
  r: number;
  precision: number;
}

/** `dots`: the slowest first, so that small ones lie upon large ones. */
export interface RooflinePlot extends Pick<Roofline, "bandwidth" | "roofs"> {
  box: Rect;
  x: Scale;
  y: Scale;
  dots: Dot[];
  /** Dots that have a name and a time. */
  named: { dot: Dot; words: string[] }[];
}

/** All scopes, an outer one before what is inside. `parent`: -1 of none. */
export interface Scopes {
  path: Text[];
  label: Text[];
  parent: number[];
  /** The innermost of each layer, -1 of none; in the data scope, number of layers, scope, number … */
  of: Numbers;
}

/** A row's rectangle: a scope, a type …, or a layer (else -1). `sum`: of the times inside. */
export interface TimeNode {
  label: string;
  /** The whole of the label, where that leaves something out. */
  about: string;
  parent: TimeNode | null;
  children: TimeNode[];
  layers: number[];
  layer: number;
  sum: number;
}

/** `node` null: several that are too narrow. */
export interface TimeRect {
  x: number;
  w: number;
  row: number;
  /** Null: several beside each other that are too narrow. */
  node: TimeNode | null;
  layers: number[];
}

/** `y`, `h`: its rows; a layer's reach down to the last. */
export interface Drawn extends TimeRect {
  y: number;
  h: number;
  fill: Color;
  share: string;
}

export interface Raw {
  strings: string[];
  columns: Record<string, [Form, string]>;
  fields: Record<FactName, Fact>;
  layers: Record<string, unknown[]>;
  records: Text[][];
  types: Text[];
  /** What the bytes of layers are. */
  memory: string;
  tensors: Tensors;
  ports: Ports;
  edges: Edges;
  jumps: [from: number, to: number][];
  layout: Layout;
  /** Without a label that is the path, and without what is false. */
  groups: (Omit<Group, "members" | "label" | "head" | "profile"> & Partial<Group>)[];
  card: { words: CardWords[]; groups: Raw["groups"] };
  inside: Held;
  scopes: Scopes & { of: number[] };
  times: Times;
  findings: RawFindings;
  rooflines: Roofline[];
  problems: [string, string, string, string][];
  /** The file of times, and its rows that are no layer's. */
  profile: string | null;
  unmatched: string[];
}

export interface Theme {
  /** By the names of the style sheet's variables. */
  css: Record<string, Color>;
  heat: Color[];
  ticks: number[];
  types: Color[];
  /** The colour of text on each fill. */
  inks: Record<Color, Color>;
  /** Of boxes: by the place of their type among `Engine.types` (the last for all others), or by precision. */
  fills: { types: Color[]; precisions: Color[] };
  precisions: [string, Color][];
  marks: Record<string, [words: string, line: Color, fill: Color, dash: string, width: number]>;
  /** What the tones of a comparison look like. */
  tones: [fill: Color, line: Color][];
}

export interface Look {
  light: Theme;
  dark: Theme;
  first: "dark" | null;
  /** Kinds of nodes that are drawn small, with a fill of their own. */
  quiet: string[];
  color: string | null;
  search: Grammar;
  /** Of comparisons: fields of a search, words of the tones and of what explains a difference. `speeds`: where tones begin. */
  pair: {
    fields: Grammar["fields"];
    tones: string[];
    untimed: string[];
    same: number;
    speeds: number[];
    /** By which part times of one engine differ: measured ones, then estimates. */
    vary: number[];
    changes: Record<string, string>;
  };
}

// ---- a search ---------------------------------------------------------------------------------------

/** What a query may hold, of facts/query.py. */
export interface Grammar {
  fields: Record<string, Field>;
  /** Examples of what a query is made of besides fields, and what they find. */
  terms: string[][];
  /** How near to a field's name a word is that was meant as one, from 0 to 1. */
  alike: number;
  patterns: Record<string, string>;
  /** Message, what is expected. */
  mistakes: Record<string, string[]>;
  meant: string;
  /** Spellings, as patterns. */
  dtypes: Record<string, string>;
  /** As trtexec names them. */
  formats: Record<string, string[]>;
}

/** As `Field` of facts/query.py. */
export interface Field {
  kind: string;
  example: string;
  about: string;
  units: Record<string, number>;
}

/** As `Term` of facts/query.py. */
export interface Term {
  how: "word" | "exact" | "regex" | "index" | "number";
  field: string;
  value: string;
  pattern?: RegExp;
  sign: string;
  number: number;
  unit: string;
  excluded: boolean;
}

/** What can be searched: texts of nodes by field, as numbers into `strings`, and numbers. */
export interface Searched {
  strings: string[];
  nodes: number;
  isLayer: (node: number) => boolean;
  /** The number of a layer in its engine; -1 of another node. */
  index: (node: number) => number;
  label: (node: number) => string;
  texts: Record<string, (node: number) => Text[]>;
  number: (field: string, unit: string, node: number) => number | null;
}

/** What the search field needs of the page. */
/** A block that is drawn, for the list of a search. */
export interface Block {
  label: string;
  words: string;
  members: number[];
  choose(): void;
}

export interface Searching {
  engine: Searched;
  look: { search: Grammar };
  showHits: (found: number[] | null, within?: (boxes: number[]) => number[]) => void;
  select: (node: number) => void;
  /** What layers take together, in words. */
  told?: (layers: number[]) => string[];
  /** Time and share of a node, in words. */
  cost?: (node: number) => string;
  /** Of which part of the network it is, or what it changes. */
  within?: (node: number) => string;
}

// ---- an engine in the page --------------------------------------------------------------------------

export interface Rule {
  code: string;
  name: string;
  severity: string;
  summary: string;
  /** What to do, in a few words. */
  action: string;
  /** Code and name. */
  texts: Text[];
}

/**
 * `rank`: its place in its optimisation profile, 1 first; `stake`: what it touches and could save; `share`: of an inference, that it touches;
 * `layers`: also those whose time it does not touch, as another finding may have it; `saves`: the ms that it can save; `shown`: on the first screen; `badge`: the layers whose boxes it may mark.
 */
export interface Finding {
  rule: Rule;
  rank: number;
  stake: string;
  share: number | null;
  saves: number | null;
  shown: boolean;
  layers: number[];
  message: string;
  advice: string;
  /** With the line of the log that says so. */
  evidence: string[];
  badge: number[];
}

/** `profiles`: of each optimisation profile, in their order. */
export interface Found {
  all: Finding[];
  of: (layer: number) => Finding[];
  profiles: Finding[][];
  gains: RawFindings["gains"];
}

/** Words of the card, where they stand, their size, whether they are bold, and which end of them is there. */
export type CardWords = [x: number, y: number, words: string, size: number, bold: boolean, anchor: "start" | "end"];

export interface Engine extends Searched {
  /** What stands on the card that is posted, and the engine at the blocks that are drawn on it. */
  card: { words: CardWords[]; engine: () => Engine };
  head: Head;
  text: (number: Text | undefined) => string;
  fields: Record<FactName, Fact>;
  /** What a field says of a layer: a text, a number, null; the same in words. */
  value: (name: FactName, node: number) => Value;
  words: (name: FactName, node: number) => string;
  layers: Layers;
  /** Key, value, key, value … */
  records: Text[][];
  memory: string;
  /** Layer types that get a fill, in the order of `Theme.fills.types`. */
  types: Text[];
  tensors: Tensors;
  ports: Ports;
  count: number;
  times: Times;
  shown: number;
  readonly now: ProfileTimes;
  inside: Held;
  /** Layers, ports, and the boxes inside of ForeignNodes; `nodes` is without these. */
  all: number;
  /** Whether a node is such a box, and its place in `inside`. */
  isInner: (node: number) => boolean;
  inner: (node: number) => number;
  /** The layer that a box is inside of; else the node itself. */
  owner: (node: number) => number;
  /** The group that holds all of a layer; of other layers nothing. */
  topOf: ById<number>;
  /** `layers.host` */
  marks: ById<number>;
  /** The edges in place of another. */
  wires: ById<number[]>;
  isShown: (node: number) => boolean;
  edges: Edges;
  jumps: [from: number, to: number][];
  layout: Layout;
  groups: Group[];
  scopes: Scopes;
  problems: [string, string, string, string][];
  found: Found;
  /** Of each optimisation profile. */
  rooflines: Roofline[];
  /** Whether times are sums over an unknown number of runs. */
  summed: boolean;
  /** The file of times, and its rows that are no layer's. */
  profile: string | null;
  unmatched: string[];
  timed: boolean;
  top: number;
  out: (node: number) => Int32Array;
  into: (node: number) => Int32Array;
  port: (node: number) => number;
  kind: (node: number) => string;
  name: (node: number) => string;
  headline: (node: number) => string;
  /** The part of the network without what the frame around it says. */
  within: (node: number) => string;
  dims: (tensor: number) => string;
  share: (node: number) => number | null;
}

export interface Palette extends Omit<Theme, "heat"> {
  dark: boolean;
  quiet: Set<string>;
  paper: Color;
  ink: Color;
  muted: Color;
  group: Color;
  block: Color;
  accent: Color;
  hot: Color;
  warn: Color;
  heat: (part: number) => Color;
  on: (fill: Color) => Color;
  mix: (a: Color, b: Color, share: number) => Color;
}

// ---- layout -------------------------------------------------------------------------------------------

/** A track of the gutter left of slot `gutter`, counted from that slot; -1: the middle of the slot itself. */
export interface Lane {
  gutter: number;
  track: number;
}

/** Edges that carry the same tensor from one box. `lane` null: all readers are in the next row. */
export interface Net {
  source: number;
  readers: number[];
  last: number;
  lane: Lane | null;
  moved: boolean;
}

/** The boxes of an engine in rows: `node[box]` is a node, or -1 - group of a collapsed group; `of[node]` is its box. */
/** `marks`: of a box the layers without a kernel that stand as a mark on its line. */
export interface Rows {
  size: number;
  of: Int32Array;
  node: Int32Array;
  marks: ById<number[]>;
  row: Int32Array;
  slot: Int32Array;
  count: number;
  nets: Net[];
  netOf: Int32Array;
  w: Float64Array;
  h: Float64Array;
  flag: Float64Array;
}

/** Rows `first` to `last`; x of slots and gutters; nets that go on in the next column, by turn. */
export interface Column {
  first: number;
  last: number;
  left: number;
  right: number;
  slots: ById<number>;
  gutters: ById<number>;
  turns: ById<number>;
  passage: number;
  foot: number;
}

/** First and last row of an open group. */
export interface Span {
  first: number;
  last: number;
}

export interface Frame {
  group: number;
  part: number;
  depth: number;
  x: number;
  y: number;
  w: number;
  h: number;
  room: number;
}

/** What `fold` makes of the rows. */
export interface Columns {
  columns: Column[];
  columnOf: Int32Array;
  gaps: ById<number>[];
  top: Float64Array;
  bottom: Float64Array;
  width: number;
  height: number;
}

/** Rows folded into columns: x is the middle of a box, y its top. */
export interface Folded extends Rows, Columns {
  x: Float64Array;
  y: Float64Array;
}

/** `points[start[w]]` to `points[start[w + 1]]` are x, y, x, y … of route w. */
export interface Routes {
  count: number;
  start: Int32Array;
  points: Float64Array;
  edge: Int32Array;
  routeOf: Int32Array;
}

export type Inside = (left: number, top: number, right: number, bottom: number) => number[];

export interface Grid {
  boxes: Inside;
  routes: Inside;
  at: (x: number, y: number) => number | undefined;
}

// ---- drawing ------------------------------------------------------------------------------------------

export type Mode = "time" | "type" | "precision" | "memory";
export type Context = CanvasRenderingContext2D;
/** From box to box; without a colour it is control flow. */
export interface Curve {
  from: number;
  to: number;
  color: Color | null;
}
/** Beside a box: an edge that is cut, and the node at its other end; without one: how many more there are. */
export interface Flag {
  words: string;
  color: Color;
  edge: number;
  node: number;
}
/** What the drawing needs of a canvas, or of what records it for a file. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "arcTo"
  | "beginPath"
  | "bezierCurveTo"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "globalAlpha"
  | "lineJoin"
  | "lineTo"
  | "lineWidth"
  | "moveTo"
  | "rect"
  | "roundRect"
  | "setLineDash"
  | "setTransform"
  | "stroke"
  | "strokeRect"
  | "strokeStyle"
  | "strokeText"
  | "textAlign"
  | "textBaseline"
>;

export interface BoxText {
  /** The number of the layer, which tells it from others that do the same. */
  index: string;
  head: string;
  sub: string;
  share: string;
  time: string;
  quiet: boolean;
  /** Codes of findings, short. */
  badge: string;
}

export interface Mark {
  line: Color;
  dash: string;
  width: number;
  round: boolean;
}

/** What is lit on request: layers above or below one, several that were chosen, the cut edges of a box. */
export interface Lens {
  title: string;
  words: string;
  nodes: number[];
  edges: Set<number>;
  /** In the address; null: left out. */
  link: string | null;
}

/** What the window shows: `x`, `y` of its corner in the drawing, `scale`, its size in CSS pixels. */
export interface View {
  x: number;
  y: number;
  scale: number;
  width: number;
  height: number;
}

export interface Rect {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export type Entry = [kind: string, color: Color, words: string];
export type Tick = [color: Color, words: string];

// ---- elements --------------------------------------------------------------------------------------------

export type Value = string | number | null;

/** A column of the table of layers. */
export interface TableColumn {
  key: string;
  title: string;
  doc: string;
  width: string;
  right: boolean;
  value: (node: number) => Value;
  format: (value: Value) => string;
}

export type Child = Node | string | false | null | undefined;

/** What `el` takes besides listeners (`on`) and style properties: attributes by their names. */
export interface Attributes {
  on?: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
  style?: Record<string, string | undefined>;
  [name: string]: unknown;
}

// ---- a comparison, written by page/comparison.py --------------------------------------------------

/** An engine: a value for each layer. */
export interface SideData {
  engine: string;
  words: string;
  /** The sum of its layers, of a sample where runs have different numbers of them; null: not known. */
  total: number | null;
  /** What a layer's time counts in the waterfall. */
  scale: number;
  name: Text[];
  title: Text[];
  part: Text[];
  type: Text[];
  precision: Text[];
  /** Layers that take Float and multiply in TF32. */
  tf32: number[];
  kernel: Text[];
  formats: Text[];
  ms: (number | null)[];
  /** The group of each layer; -1: none. */
  group: number[];
  /** 0: in a group, 1: overhead, 2: without a counterpart. */
  place: number[];
  reformat: number[];
  /** The step of the waterfall that has its time; -1: none. */
  cause: Text[];
  tone: number[];
}

/** `folds`: whether each is a thin line, as nothing changed. */
export interface SideShown extends SideData {
  folds: boolean[];
  top: number[];
  height: number[];
}

export type GroupData = [
  msA: number | null,
  msB: number | null,
  delta: number | null,
  tone: number,
  changes: Text,
  confidence: Text,
  /** B by A; null where it would mean nothing. */
  ratio: number | null,
];

/** First and last layer of A, and of B, and the group that joins them. */
export interface Band {
  a: [number, number];
  b: [number, number];
  group: number;
  dash: number[];
}

export interface ComparisonData {
  title: string;
  b: string;
  /** What the second engine is called: of several, C is the next. */
  called: string;
  /** How much faster B is, with its verb, and of which times; empty where there is no ratio. */
  headline: [ratio: string, times: string];
  first: string;
  timed: boolean;
  /** Ratios are of a sample, as runs have different numbers of them. */
  per_sample: boolean;
  delta: string;
  /** The times are the builder's estimates. */
  estimated: boolean;
  waterfall: [cause: string, words: string, ms: number, signed: string][];
  totals: string[][];
  builds: string[][];
  sides: [SideData, SideData];
  /** What a search for those layers finds. */
  tf32: Text;
  groups: GroupData[];
  strings: string[];
}

/** What a comparison takes of a layer; tensors are data type, dims and format. `serves`: it is a reformat or no-op. */
export interface PlainLayer
  extends Record<"name" | "type" | "title" | "part" | "precision" | "kernel" | "formats", string> {
  ms: number | null;
  nodes: string[];
  reads: string[][];
  writes: string[][];
  /** The names of the tensors. */
  from: string[];
  to: string[];
  serves: boolean;
  idle: boolean;
}

/** One of the two engines of a comparison. `kind`: how its times were taken. */
export interface Half {
  name: string;
  device: string | null;
  tensorrt: string | null;
  gpu: Head["gpu"];
  inputs: Head["inputs"];
  total: number | null;
  /** Its times are sums over an unknown number of runs: none is of a run. */
  summed: boolean;
  kind: string;
  layers: PlainLayer[];
}

/** Layers of A are nodes from 0, those of B follow. */
export interface Compared extends ComparisonData, Searched {
  sides: [SideShown, SideShown];
  bands: Band[];
  /** The tone of what takes the same time. */
  same: number;
  /** How high the columns stand now. */
  tall: number;
  text: (number: Text) => string;
  side: (node: number) => 0 | 1;
  node: (side: number, index: number) => number;
  groupOf: (node: number) => number;
  /** The layers of A and of B in each group. */
  members: [number[], number[]][];
}

/** Where the columns stand in a window, in pixels. */
export interface Geometry {
  labels: number;
  left: number;
  right: number;
  box: number;
}

/** What is exported of a drawing; `paint` draws it at a scale. */
export interface Sheet {
  width: number;
  height: number;
  title: string;
  /** Pixels of a PNG in one of it, where that is not as sharp as can be. */
  sharp?: number;
  paint(context: Pen, ratio: number): void;
}

/** Keys that do the same, the first of them or `shown` in the help, with `about`; empty: not there. */
export interface Key {
  keys: string[];
  shown?: string;
  about: string;
  call(): void;
}

/** A part of the view that the address holds. Null: as at first. */
export interface Part {
  key: string;
  /** Its change is no entry of the history. */
  quiet?: boolean;
  read(): string | null;
  /** Whether there is such a value. */
  apply(value: string | null): boolean;
}

/** A view below the drawing; `id` is its element's. */
export interface Pane {
  id: string;
  /** Whether the open engine has it; left out: always. */
  there?: boolean;
  /** Shows what is true now, unless it is hidden. */
  update(): void;
  /** Another engine was opened. */
  reset(): void;
  /** Another node was selected. */
  select(node: number | null): void;
  /** The pointer is on another box of the drawing. */
  point?(): void;
  focus(): void;
}

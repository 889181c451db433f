import type { CallKind } from './function-rules.ts'

export interface Value {
  /** ns */
  readonly work: number
  readonly bytes: number
  readonly kind: 'number' | 'jsonb' | 'other'
  readonly constant?: number
  readonly elements?: number
  /** The planner cannot compute it. */
  readonly isVarying?: boolean
  /** Of SQL/JSON paths: may compare each item with each other one, without a cancellation check. */
  readonly isPaired?: boolean
  /** Of SQL/JSON paths: may read text by a template. */
  readonly isDated?: boolean
  /** Of SQL/JSON paths: may make a document of each key. */
  readonly isKeyed?: boolean
}

/**
 * Longest time without a cancellation check, ns, for work that is linear in the data. Other work
 * counts `superLinear` times.
 */
export const maxWork = 10_000_000_000
const superLinear = 5

/**
 * Longest value within the memory limit of an embedded server's session; other servers allow up to
 * four times as much.
 */
export const maxValueBytes = 256_000_000
/**
 * At about 40 bytes each. On any server an aggregate's working array ends at 67,108,864 elements (1
 * GB).
 */
const maxPieces = 32_000_000
const maxArrayElements = 134_217_727
/** 131,072 before the decimal point and 16,383 after it. */
export const maxNumericDigits = 147_455
/** Longest text of an on-chain number or a double. */
export const numberBytes = 320
export const shortBytes = 64
/** The planner takes about 20 µs and 500 bytes per node. */
export const nodeWork = 20_000 * superLinear
/**
 * Per element of a constant array in = ANY and per partition of the scanned tables, where the planner
 * also needs 270 bytes.
 */
export const plannedWork = 500 * superLinear
/** Planning time grows with the square of the number of joined tables and of sorts. */
export const sourceWork = 6_000_000 * superLinear
export const sortWork = 30_000_000 * superLinear

/**
 * ns per byte, measured with PostgreSQL 18; `gate-cancel.test.ts` runs the longest permitted calls.
 */
const linearRate = 3
/** Case mapping and encodings. */
const heavyRate = 10
/** ns per element, escape or token; a JSON number takes two bytes and twice as long. */
const pieceRate = 80
const tokenRate = 100
const formattingRate = 400
/**
 * ns per byte of texts whose parsing keeps 350 bytes (ranges) or 1,100 (JSON) per byte until it ends:
 * 10 ns each limit it to 1 GB.
 */
const rangesRate = 3500
const documentsRate = 11_000
/** The same for binary documents that are read as such arrays, or of whose keys a path makes documents. */
export const partsRate = 3000
/** Keys that are checked for uniqueness take 100 bytes each. */
export const uniqueRate = 150
/** ns per byte of an array of ranges. */
const sortRate = 80
/** ns per pair of bytes, for near matches. */
const searchRate = 1
const likeRate = 2
const matchRate = 11
/** ns per pair of elements. */
const elementRate = 15
/** ns per byte of a result that is built piece by piece. */
const buildRate = 1
const indentRate = 3
const maxPostgresBytes = 1_073_741_823
/** ns per pair of digits, and the maximum pairs of a product that does not overflow. */
const digitRate = 0.08 * superLinear
const maxDigitPairs = (maxNumericDigits / 2) ** 2
const transcendentalWork = 30_000_000 * superLinear

export function callCost(kind: CallKind, args: readonly Value[]): Value {
  const [a = short, b = short, c = short] = args
  const all = args.reduce((sum, { bytes }) => sum + bytes, 0)
  const linear = linearRate * all
  switch (kind) {
    case 'free':
      return number(0)
    case 'number':
      return number(linear)
    case 'short':
      return other(linear, shortBytes)
    case 'read-date':
      return other(pairCost(searchRate, a.bytes, args.length > 1 ? b.bytes : 1) + linear, shortBytes)
    case 'linear':
      return { work: linear, bytes: bound(all), kind: sameKind(args) }
    case 'growing':
      return other(pieceRate * pieces(all) + linear, bound(8 * all + shortBytes))
    case 'heavy':
      return other(heavyRate * all, bound(3 * all))
    case 'elements':
      return other(pieceRate * pieces(all) + linear, bound(all))
    case 'sorted':
      return other((args.length > 1 ? sortRate : rangesRate) * all, bound(all))
    case 'parsing':
      return other(tokenRate * pieces(all) + linear, bound(8 * all))
    case 'formatting':
      return other(formattingRate * b.bytes + linear, bound(40 * b.bytes + a.bytes))
    case 'search':
      return other(pairCost(searchRate, a.bytes, b.bytes) + linear, bound(8 * a.bytes + shortBytes))
    case 'replace':
      return built(pairCost(searchRate, a.bytes, b.bytes) + linear, a.bytes * Math.max(1, c.bytes))
    case 'like':
      return number(likeCost(a, b) + heavyRate * all, 1)
    case 'join':
      return joined(a.bytes, all - a.bytes)
    case 'join-others':
      return joined(all - a.bytes, a.bytes)
    case 'pretty': {
      return other(pieceRate * pieces(all) + indentRate * Math.min(all * all, maxPostgresBytes), bound(all * all))
    }
    case 'path':
    case 'paths': {
      const bytes = kind === 'path' ? all : a.bytes * a.bytes
      return { work: linear + pathCost(all, b), bytes: bound(bytes), kind: 'jsonb' }
    }
    case 'match':
      return other(pairCost(matchRate, a.bytes, b.bytes) + linear, a.bytes)
    case 'match-elements':
      return number(elementCost(a, b) + linear, 1)
    case 'regexp':
      return other(linear, bound(8 * all))
    case 'regexp-replace':
      return built(linear, a.bytes * Math.max(1, c.bytes))
    case 'repeat': {
      const bytes = b.constant === undefined ? maxValueBytes : a.bytes * Math.max(0, b.constant)
      return other(0, bound(bytes), linearRate)
    }
    case 'pad':
      return other(linear, bound(4 * (b.constant ?? maxValueBytes) + c.bytes), linearRate)
    case 'fill':
      return other(pieceRate * (maxArrayElements - maxPieces), maxValueBytes)
    case 'cut':
      return other(linear, cutBytes(a, b.constant))
    case 'slice':
      return other(linear, cutBytes(a, args.length > 2 ? c.constant : undefined))
    case 'format':
      return built(formattingRate * a.bytes + linear, a.constant === undefined ? maxValueBytes : all * a.constant)
    case 'arithmetic':
      return arithmetic(args, '/')
    case 'power':
      return power(a, b)
    case 'transcendental':
      return number(a.bytes <= numberBytes ? 0 : transcendentalWork, maxNumericDigits)
    case 'collect':
      return { ...other(linear, maxValueBytes), isVarying: true }
    default:
      return { work: linear, bytes: maxValueBytes, kind: 'jsonb', isVarying: true }
  }
}

export function operatorCost(symbol: string, left: Value, right: Value): Value {
  const all = left.bytes + right.bytes
  const linear = linearRate * all
  const areNumbers = left.kind === 'number' && right.kind === 'number'
  switch (symbol) {
    case '+':
    case '*':
    case '/':
    case '%': {
      const result = arithmetic([left, right], symbol)
      return areNumbers ? result : other(linear + result.work, bound(all))
    }
    case '-': {
      return areNumbers ? arithmetic([left, right], symbol) : other(elementCost(left, right) + linear, bound(all))
    }
    case '^':
      return power(left, right)
    case '|/':
    case '||/':
      return callCost('transcendental', [right])
    case '@':
    case '&':
    case '|':
    case '#':
    case '<<':
    case '>>': {
      return { ...arithmetic([left, right], '+'), kind: 'other' }
    }
    case '||':
      return { work: linear, bytes: bound(all), kind: sameKind([left, right]) }
    case '~~':
    case '!~~':
      return number(likeCost(left, right) + linear, 1)
    // Converts both to lower case first.
    case '~~*':
    case '!~~*':
      return number(likeCost(left, right) + heavyRate * all, 1)
    case '@?':
      return number(linear + pathCost(all, right), 1)
    case '@>':
    case '<@':
    case '&&':
    case '?|':
    case '?&':
      return number(elementCost(left, right) + linear, 1)
    case '#-':
      return { work: linear, bytes: left.bytes, kind: 'jsonb' }
    case '->':
    case '->>':
    case '#>':
    case '#>>': {
      const work = (left.kind === 'jsonb' ? 0 : tokenRate * pieces(left.bytes)) + linearRate * left.bytes
      const printing = left.kind === 'jsonb' && symbol.endsWith('>>') ? pieceRate * pieces(left.bytes) : 0
      return { work: work + printing, bytes: left.bytes, kind: symbol.endsWith('>>') ? 'other' : left.kind }
    }
    default:
      return number(linear, 1)
  }
}

export function castCost(type: string, isArray: boolean, value: Value, length: number | undefined): Value {
  const linear = linearRate * value.bytes
  const tokens = tokenRate * pieces(value.bytes) + linear
  if (type.endsWith('multirange') || (isArray && type.endsWith('range')))
    return other(rangesRate * value.bytes, bound(8 * value.bytes))
  if (isArray) return other(type.includes('json') ? documentsRate * value.bytes : tokens, bound(8 * value.bytes))
  switch (type) {
    case 'numeric': {
      const digits = value.kind === 'number' ? value.bytes : maxNumericDigits
      return number(linear, length === undefined ? digits : length + 3)
    }
    case 'int2':
    case 'int4':
    case 'int8':
    case 'float4':
    case 'float8':
    case 'oid': {
      return { ...number(linear), ...(value.constant === undefined ? {} : { constant: value.constant }) }
    }
    case 'bool':
    case 'uuid':
    case 'date':
    case 'time':
    case 'timetz':
    case 'timestamp':
    case 'timestamptz':
    case 'interval':
      return other(linear, shortBytes)
    case 'varchar': {
      return other(textCost(value), length === undefined ? value.bytes : Math.min(value.bytes, 4 * length))
    }
    case 'bpchar':
    case 'char': {
      const bytes = bound(4 * (length ?? 1) + (length === undefined ? value.bytes : 0))
      return other(textCost(value), bytes, linearRate)
    }
    case 'jsonb': {
      return { work: value.kind === 'jsonb' ? linear : tokens, bytes: bound(2 * value.bytes), kind: 'jsonb' }
    }
    case 'text':
    case 'name':
      return other(textCost(value), bound(2 * value.bytes))
    case 'bytea':
      return other(linear, bound(2 * value.bytes))
    // json, jsonpath, ranges, multiranges and rows are parsed.
    default:
      return other(tokens * (type.endsWith('range') ? 4 : 1), bound(2 * value.bytes))
  }
}

const short: Value = { work: 0, bytes: shortBytes, kind: 'other' }

/** Linear if one operand is short. */
function pairCost(rate: number, a: number, b: number): number {
  return rate * a * b * (Math.min(a, b) > shortBytes ? superLinear : 1)
}

function likeCost(a: Value, b: Value): number {
  return pairCost(likeRate, a.bytes, b.bytes)
}

function elementCost(a: Value, b: Value): number {
  return pairCost(elementRate, a.elements ?? pieces(a.bytes), b.elements ?? pieces(b.bytes))
}

/** @param bytes of the document, the path and its variables */
export function pathCost(bytes: number, path: Value): number {
  const value = { ...short, bytes }
  const pairs = path.isPaired === true ? elementCost(value, value) : 0
  const keys = path.isKeyed === true ? partsRate * bytes : 0
  return pairs + keys + (path.isDated === true ? pairCost(searchRate, bytes, path.bytes) : 0)
}

function textCost({ bytes, kind }: Value): number {
  return linearRate * bytes + (kind === 'number' ? 0 : pieceRate * pieces(bytes))
}

export function pieces(bytes: number): number {
  return Math.min(bytes, maxPieces)
}

function bound(bytes: number): number {
  return Math.min(bytes, maxValueBytes)
}

function number(work: number, bytes: number = numberBytes): Value {
  return { work, bytes, kind: 'number' }
}

/** @param rate ns per byte of the result */
function other(work: number, bytes: number, rate = 0): Value {
  return { work: work + rate * bytes, bytes, kind: 'other' }
}

/** Results that only PostgreSQL's own 1 GB limit bounds. */
function built(work: number, bytes: number): Value {
  return other(work + buildRate * Math.min(bytes, maxPostgresBytes), bound(bytes))
}

function joined(bytes: number, separatorBytes: number): Value {
  return built(pieceRate * pieces(bytes), bytes + pieces(bytes) * separatorBytes)
}

function sameKind(args: readonly Value[]): Value['kind'] {
  const [first] = args
  return first !== undefined && args.every(({ kind }) => kind === first.kind) ? first.kind : 'other'
}

function digits({ bytes }: Value): number {
  return Math.min(bytes, maxNumericDigits)
}

function arithmetic(args: readonly Value[], symbol: string): Value {
  const [a, b] = [digits(args[0] ?? short), digits(args[1] ?? short)]
  const work = symbol === '+' || symbol === '-' ? a + b : Math.min(a * b, maxDigitPairs) * digitRate
  // A quotient has at least 16 significant digits and at most 1,000 decimals.
  const length = symbol === '+' || symbol === '-' ? Math.max(a, b) + 1 : symbol === '/' ? a + b + 1000 : a + b
  return number(linearRate * (a + b) + work, Math.min(length, maxNumericDigits))
}

function power(base: Value, exponent: Value): Value {
  const length =
    base.constant !== undefined && exponent.constant !== undefined
      ? Math.ceil(Math.abs(exponent.constant) * Math.max(1, Math.log10(Math.abs(base.constant) + 1))) +
        base.bytes +
        1000
      : exponent.constant === undefined
        ? maxNumericDigits
        : (Math.abs(exponent.constant) + 1) * base.bytes + 1000
  const bytes = Math.min(length, maxNumericDigits)
  return number(Math.min(bytes * bytes, maxDigitPairs) * digitRate, bytes)
}

function cutBytes(text: Value, length = -1): number {
  return length < 0 ? text.bytes : Math.min(text.bytes, 4 * length)
}

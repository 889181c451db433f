import { escapeInvisible } from '../../kit/result-table.ts'

/** A piece of an answer as the Markdown library has it, as far as it is read here. */
export interface Piece {
  readonly type: string
  value?: string
  readonly tagName?: string
  properties?: Record<string, unknown>
  children?: Piece[]
}

/** All words in a piece. */
export function pieceText(piece: Piece | undefined): string {
  return piece?.value ?? piece?.children?.map(pieceText).join('') ?? ''
}

/**
 * Tells what stands in an answer, for those who show it: columns of numbers, heights and ids. Signs that cannot be
 * seen, or that turn the text, are shown by their code, since names in it are chosen by strangers.
 */
export function annotate() {
  return (root: Piece): void => visit(root)
}

/** What stands before a height. */
const beforeHeight = /(?:\bblocks?|\bheight|区块|高度)(?:\s+(?:is|was|at|height|number|no\.?))?\s*[:：#为是]?\s*$/i

function visit(piece: Piece): void {
  if (piece.type === 'text') piece.value = escapeInvisible(piece.value ?? '')
  if (piece.tagName === 'table') annotateTable(piece)
  const children = piece.children ?? []
  for (const [i, child] of children.entries()) {
    const before = children[i - 1]
    if (child.tagName === 'code' && before?.type === 'text' && beforeHeight.test(before.value ?? ''))
      mark(child, 'dataHint', 'height')
    visit(child)
  }
}

/** So short a cell is not broken: a day, an id. */
const shortCell = 24

const numeric = /^[-+−]?[$€¥]?\d[\d,_ ]*(?:\.\d+)?(?:e[+-]?\d+)?\s*(?:%|[A-Za-z]{1,6})?$/

function annotateTable(table: Piece): void {
  const rows = rowsOf(table)
  const [head, ...body] = rows
  for (const [i, name] of (head ?? []).entries()) {
    const cells = body.map((row) => row[i]).filter((cell) => cell !== undefined)
    const texts = cells
      .map((cell) => pieceText(cell).trim())
      .filter((text) => text !== '' && !/^(?:[-–—]|null|n\/a)$/i.test(text))
    const hint = columnHint(pieceText(name).trim())
    for (const cell of cells) if (pieceText(cell).trim().length <= shortCell) mark(cell, 'className', 'short')
    if (hint !== undefined) for (const cell of cells) mark(cell, 'dataHint', hint)
    if (texts.length > 0 && texts.every((text) => numeric.test(text)))
      for (const cell of [name, ...cells]) mark(cell, 'className', 'number')
  }
}

function rowsOf(piece: Piece): Piece[][] {
  if (piece.tagName === 'tr')
    return [(piece.children ?? []).filter(({ tagName }) => tagName === 'th' || tagName === 'td')]
  return (piece.children ?? []).flatMap(rowsOf)
}

function mark(piece: Piece, name: string, value: string): void {
  piece.properties = { ...piece.properties, [name]: value }
}

/**
 * Takes Markdown apart between its blocks, so that of an answer that grows only the last piece is read anew. Joined
 * again, the pieces are the text. A text with definitions, which count for all of it, stays whole.
 */
export function splitBlocks(text: string): string[] {
  if (/^ {0,3}\[[^\]\n]+\]:/m.test(text)) return [text]
  const blocks: string[] = []
  let block = ''
  let fence: string | undefined
  let wasBlank = false
  for (const line of text.split(/(?<=\n)/)) {
    const isBlank = line.trim() === ''
    if (fence === undefined && wasBlank && !isBlank && mayBegin(line, block)) {
      blocks.push(block)
      block = ''
    }
    fence = fenceAfter(line, fence)
    block += line
    wasBlank = isBlank
  }
  if (block !== '') blocks.push(block)
  return blocks
}

const listMark = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:\s|$)/

/** Whether a line after an empty one begins a block: it does not where it goes on with a list. */
function mayBegin(line: string, before: string): boolean {
  if (before.trim() === '') return false
  if (/^(?:\t| {2,})/.test(line)) return false
  return !(listMark.test(line) && listMark.test(before.trimStart()))
}

/** The fence of the code that is open after a line, if any. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark, rest = ''] = /^\s*(`{3,}|~{3,})(.*)/.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark
  return mark[0] === open[0] && mark.length >= open.length && rest.trim() === '' ? undefined : open
}

/** What a text is taken for, where it could be more than one thing. */
export type IdHint = 'height' | 'transaction'

/** The path of the explorer that an address, an id or a height leads to; undefined where a text is none. */
export function explorerPath(text: string, hint?: IdHint): string | undefined {
  if (/^0x[0-9a-f]{16}$/i.test(text)) return `/account/${text.toLowerCase()}`
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `/evm/address/${text.toLowerCase()}`
  if (/^[0-9a-f]{64}$/i.test(text)) return `/transaction/${text.toLowerCase()}`
  // One of the EVM, or one of Flow as SQL has it: the explorer's search goes on to the one that it is.
  if (/^0x[0-9a-f]{64}$/i.test(text))
    return hint === 'transaction' ? `/transaction/${text.slice(2).toLowerCase()}` : `/search?q=${text.toLowerCase()}`
  const [, contract] = /^(A\.[0-9a-f]{16}\.[A-Za-z_]\w{0,99})(?:\.[A-Za-z_]\w{0,99})?$/.exec(text) ?? []
  if (contract !== undefined) return `/contract/${contract}`
  const height = text.replaceAll(',', '')
  return hint === 'height' && /^\d{1,15}$/.test(height) ? `/block/${height}` : undefined
}

/** What the cells of a column are, by its name. */
export function columnHint(name: string): IdHint | undefined {
  if (/(?:^|[_\s])(?:height|block)$|(?:高度|区块)$/i.test(name)) return 'height'
  return /(?:^|_)(?:transaction|tx)_?(?:id|hash)?$/i.test(name) && !/evm/i.test(name) ? 'transaction' : undefined
}

/** The address of a part of the explorer. */
export function explorerAddress(base: string, path: string): string {
  return `${base.replace(/[/?#]+$/, '')}${path}`
}

/** Where links of an answer may lead. */
export interface LinkPlaces {
  /** The origin of the page itself: `https://chat.example`. */
  readonly origin: string
  /** Names of hosts, with a port where it is not that of HTTPS; each stands for itself and not for those below it. */
  readonly hosts: readonly string[]
  /** Origin of the explorer, which may be one without HTTPS. */
  readonly explorerOrigin?: string | undefined
}

/** Signs that a browser drops from an address, takes for a slash, or that people do not see. */
const deceiving = /[\p{C}\p{Z}\\]/u

/**
 * Whether an answer may have a link to an address. What a model writes may have been put into its mouth by a
 * stranger's token name or web page: an address off the list is shown as text, so that nobody sends anything there by
 * a click. All that is not understood is no link.
 */
export function linkAllowed(href: string, { origin, hosts, explorerOrigin }: LinkPlaces): boolean {
  if (deceiving.test(href)) return false
  // A path of this page; two slashes would begin with another host.
  if (/^\/(?!\/)/.test(href)) return URL.canParse(href, origin) && new URL(href, origin).origin === origin
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href)) return false
  const url = new URL(href)
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(href.slice(href.indexOf('//') + 2))) return false
  if (url.origin === origin || url.origin === explorerOrigin) return true
  return url.protocol === 'https:' && hosts.includes(url.host)
}

import { escapeInvisible } from '../../kit/result-table.ts'

export interface MarkdownNode {
  readonly type: string
  value?: string
  readonly tagName?: string
  properties?: Record<string, unknown>
  children?: MarkdownNode[]
}

export function nodeText(piece: MarkdownNode | undefined): string {
  return piece?.value ?? piece?.children?.map(nodeText).join('') ?? ''
}

/**
 * Marks number columns, heights and ids. Escapes invisible and bidirectional characters, since
 * names in an answer are untrusted.
 */
export function annotate() {
  return (root: MarkdownNode): void => visit(root)
}

const beforeHeight = /(?:\bblocks?|\bheight|区块|高度)(?:\s+(?:is|was|at|height|number|no\.?))?\s*[:：#为是]?\s*$/i

function visit(piece: MarkdownNode): void {
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

const shortCell = 24

/** Monospace characters of a row that fit a phone of 360 px. */
const phoneCharacters = 38
const gapCharacters = 3

/** Whether a table of these texts needs more than a phone's width. @param rows with the names first */
export function isWideTable(rows: readonly (readonly string[])[]): boolean {
  const columns = rows[0]?.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0))) ?? []
  return columns.reduce((sum, length) => sum + length + gapCharacters, 0) > phoneCharacters
}

const numeric = /^[-+−]?[$€¥]?\d[\d,_ ]*(?:\.\d+)?(?:e[+-]?\d+)?\s*(?:%|[A-Za-z]{1,6})?$/

function annotateTable(table: MarkdownNode): void {
  const rows = rowsOf(table)
  const [head, ...body] = rows
  if (isWideTable(rows.map((row) => row.map((cell) => nodeText(cell).trim())))) mark(table, 'className', 'cards')
  for (const [i, name] of (head ?? []).entries()) {
    const cells = body.map((row) => row[i]).filter((cell) => cell !== undefined)
    const texts = cells
      .map((cell) => nodeText(cell).trim())
      .filter((text) => text !== '' && !/^(?:[-–—]|null|n\/a)$/i.test(text))
    for (const cell of cells) mark(cell, 'dataLabel', nodeText(name).trim())
    const hint = columnHint(nodeText(name).trim())
    for (const cell of cells) if (nodeText(cell).trim().length <= shortCell) mark(cell, 'className', 'short')
    if (hint !== undefined) for (const cell of cells) mark(cell, 'dataHint', hint)
    if (texts.length > 0 && texts.every((text) => numeric.test(text)))
      for (const cell of [name, ...cells]) mark(cell, 'className', 'number')
  }
}

function rowsOf(piece: MarkdownNode): MarkdownNode[][] {
  if (piece.tagName === 'tr')
    return [(piece.children ?? []).filter(({ tagName }) => tagName === 'th' || tagName === 'td')]
  return (piece.children ?? []).flatMap(rowsOf)
}

function mark(piece: MarkdownNode, name: string, value: string): void {
  piece.properties = { ...piece.properties, [name]: value }
}

/**
 * Splits Markdown between its blocks, so that a growing answer re-renders only its last piece. A
 * text with link definitions stays whole.
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

/** Whether a line after an empty line starts a block, that is, does not continue a list. */
function mayBegin(line: string, before: string): boolean {
  if (before.trim() === '') return false
  if (/^(?:\t| {2,})/.test(line)) return false
  return !(listMark.test(line) && listMark.test(before.trimStart()))
}

function fenceAfter(line: string, open: string | undefined): string | undefined {
  const [, mark, rest = ''] = /^\s*(`{3,}|~{3,})(.*)/.exec(line) ?? []
  if (mark === undefined) return open
  if (open === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark
  return mark[0] === open[0] && mark.length >= open.length && rest.trim() === '' ? undefined : open
}

export type IdHint = 'height' | 'transaction'

export function explorerPath(text: string, hint?: IdHint): string | undefined {
  if (/^0x[0-9a-f]{16}$/i.test(text)) return `/account/${text.toLowerCase()}`
  if (/^0x[0-9a-f]{40}$/i.test(text)) return `/evm/address/${text.toLowerCase()}`
  if (/^[0-9a-f]{64}$/i.test(text)) return `/transaction/${text.toLowerCase()}`
  // Either an EVM hash or a Flow id without prefix; the explorer's search decides.
  if (/^0x[0-9a-f]{64}$/i.test(text))
    return hint === 'transaction' ? `/transaction/${text.slice(2).toLowerCase()}` : `/search?q=${text.toLowerCase()}`
  const [, contract] = /^(A\.[0-9a-f]{16}\.[A-Za-z_]\w{0,99})(?:\.[A-Za-z_]\w{0,99})?$/.exec(text) ?? []
  if (contract !== undefined) return `/contract/${contract}`
  const height = text.replaceAll(',', '')
  return hint === 'height' && /^\d{1,15}$/.test(height) ? `/block/${height}` : undefined
}

export function columnHint(name: string): IdHint | undefined {
  if (/(?:^|[_\s])(?:height|block)$|(?:高度|区块)$/i.test(name)) return 'height'
  return /(?:^|_)(?:transaction|tx)_?(?:id|hash)?$/i.test(name) && !/evm/i.test(name) ? 'transaction' : undefined
}

export function explorerAddress(base: string, path: string): string {
  return `${base.replace(/[/?#]+$/, '')}${path}`
}

export interface LinkPolicy {
  readonly origin: string
  /** Host names, with the port unless it is that of HTTPS. No subdomains. */
  readonly hosts: readonly string[]
  /** May use HTTP. */
  readonly explorerOrigin?: string | undefined
}

/** Characters that browsers drop from URLs or read as a slash, or that are invisible. */
const deceiving = /[\p{C}\p{Z}\\]/u

/**
 * The text may come from a prompt injection: unknown addresses are shown as text and cannot leak
 * data with a click.
 */
export function linkAllowed(href: string, { origin, hosts, explorerOrigin }: LinkPolicy): boolean {
  if (deceiving.test(href)) return false
  // A path of this page; two slashes would start a host.
  if (/^\/(?!\/)/.test(href)) return URL.canParse(href, origin) && new URL(href, origin).origin === origin
  if (!/^https?:\/\/[^/?#]/i.test(href) || !URL.canParse(href)) return false
  const url = new URL(href)
  if (url.username !== '' || url.password !== '' || /^[^/?#]*@/.test(href.slice(href.indexOf('//') + 2))) return false
  if (url.origin === origin || url.origin === explorerOrigin) return true
  return url.protocol === 'https:' && hosts.includes(url.host)
}

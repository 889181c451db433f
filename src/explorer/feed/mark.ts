/**
 * A place in the feed, where a client may go on. As text, `<height>`: before all messages of this height, or
 * `<height>.<number>.<fork>`: after message `number` of the block of this height whose id begins with `fork`.
 */
export interface Mark {
  readonly height: number
  /** Undefined: nothing of this height was had yet. */
  readonly had: { readonly number: number; readonly fork: string } | undefined
}

const markForm = /^(\d{1,15})(?:\.(\d{1,9})\.([0-9a-f]{16}))?$/

/** @param blockId 64 hex digits */
export function markOf(height: number, number: number, blockId: string): string {
  return `${height}.${number}.${forkOf(blockId)}`
}

/** As much of a block's id as tells it from others of its height. */
export function forkOf(blockId: string): string {
  return blockId.slice(0, 16)
}

/** Undefined where the text is none. */
export function parseMark(text: string): Mark | undefined {
  const [, height, number, fork] = markForm.exec(text) ?? []
  if (height === undefined) return undefined
  const had = number === undefined || fork === undefined ? undefined : { number: Number(number), fork }
  return { height: Number(height), had }
}

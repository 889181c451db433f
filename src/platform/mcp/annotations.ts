import type { ToolAnnotations } from '@modelcontextprotocol/server'

/**
 * No tool changes anything, so that clients need not ask their user before a call. The databases are ours; a script asks a
 * node outside, and a question is answered by a model, which may answer differently the next time.
 */
const reading = { readOnlyHint: true, destructiveHint: false } as const satisfies ToolAnnotations
export const readingClosedWorld = {
  ...reading,
  idempotentHint: true,
  openWorldHint: false,
} as const satisfies ToolAnnotations
export const readingOpenWorld = {
  ...reading,
  idempotentHint: true,
  openWorldHint: true,
} as const satisfies ToolAnnotations
export const askingModel = { ...reading, idempotentHint: false, openWorldHint: true } as const satisfies ToolAnnotations

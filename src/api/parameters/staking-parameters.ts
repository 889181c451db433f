import { z } from 'zod'

/** A node of the network. Gives 64 lower-case hex digits. */
export function nodeIdParameter(): z.ZodPreprocess<z.ZodString> {
  const toId = (text: unknown): unknown => (typeof text === 'string' ? text.replace(/^0x/i, '').toLowerCase() : text)
  return z.preprocess(toId, z.string().regex(/^[0-9a-f]{64}$/, 'must be the id of a node: 64 hex digits'))
    .describe('Id of a node: 64 hex digits.')
}

/** Counter of an epoch. */
export function epochParameter(): z.ZodPreprocess<z.ZodInt> {
  const message = 'must be the counter of an epoch: a whole number'
  const toNumber = (text: unknown): unknown => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : text)
  return z.preprocess(toNumber, z.int(message).min(0, message)).describe('Counter of the epoch.')
}

const roles = ['collection', 'consensus', 'execution', 'verification', 'access']

/** `role` of lists of nodes, by number or by name. Gives the number. */
export function roleParameter(): z.ZodOptional<z.ZodPreprocess<z.ZodInt>> {
  const message = `must be 1 to 5, or one of ${roles.join(', ')}`
  const toNumber = (text: unknown): unknown => {
    if (typeof text !== 'string') return text
    if (/^[1-5]$/.test(text)) return Number(text)
    const index = roles.indexOf(text)
    return index < 0 ? text : index + 1
  }
  return z.preprocess(toNumber, z.int(message).min(1, message).max(5, message)).optional()
    .describe('Only nodes of this role: 1 collection, 2 consensus, 3 execution, 4 verification, 5 access; or the name.')
}

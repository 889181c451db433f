import { status } from '@grpc/grpc-js'
import { z } from 'zod'
import type { Fault } from './fault.ts'
import type { StatusName } from './refusal.ts'

const count = z.int().min(0)
const statusNames = Object.keys(status).filter((name) => name !== 'OK' && Number.isNaN(Number(name)))
const statusName = z.enum(statusNames as [StatusName])

const scope = {
  methods: z.array(z.string()).min(1).exactOptional(),
  heights: z.strictObject({ from: count, to: count }).exactOptional(),
  after: count.exactOptional(),
  times: count.exactOptional(),
}

/** A fault as JSON, as the control port and the command line take it: all of `Fault` but the condition `when`. */
export const faultSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('latency'), ms: count, ...scope }),
  z.strictObject({ kind: z.literal('status'), code: statusName, message: z.string().exactOptional(), ...scope }),
  z.strictObject({
    kind: z.literal('rate-limit'),
    perSecond: z.number().positive(),
    burst: count.exactOptional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('drop-connection'), ...scope }),
  z.strictObject({ kind: z.literal('never-answer'), ...scope }),
  z.strictObject({ kind: z.literal('garbage'), length: count.exactOptional(), ...scope }),
  z.strictObject({ kind: z.literal('wrong-parent'), ...scope }),
  z.strictObject({ kind: z.literal('missing-results'), ...scope }),
  z.strictObject({ kind: z.literal('fewer-results'), count: count.exactOptional(), ...scope }),
  z.strictObject({
    kind: z.literal('oversized'),
    bytes: count,
    by: z.enum(['unknown-field', 'events', 'expanding-events']).exactOptional(),
    ...scope,
  }),
  z.strictObject({ kind: z.literal('no-bulk-calls'), ...scope }),
  z.strictObject({ kind: z.literal('legacy-only'), ...scope }),
  z.strictObject({ kind: z.literal('lost-error-message'), ...scope }),
  z.strictObject({
    kind: z.literal('corrupt-event'),
    height: count,
    transactionIndex: count,
    eventIndex: count,
    ...scope,
  }),
  z.strictObject({ kind: z.literal('lying-head'), ahead: count, ...scope }),
]) satisfies z.ZodType<Fault>

import { Slots } from '../../../platform/limits/slots.ts'
import { askerLeft, slotsStuck, tooBusy, tooManyStatements } from './sql-errors.ts'

/** Statements of one client that may wait for a slot. */
export const maxWaitingPerClient = 100

/** Retry-After where the wait is unknown, s. */
const retrySeconds = 5
/** Retry-After where stuck sessions hold the slots, s. */
const stuckRetrySeconds = 60

/**
 * Slots for statements. A client has at most all slots but one, so another client never waits behind its long
 * statements.
 */
export function statementSlots(max: number, maxWaiting: number): Slots {
  return new Slots({
    what: 'statements',
    max,
    maxPerClient: Math.max(1, max - 1),
    maxWaiting,
    maxWaitingPerClient,
    refusals: {
      client: (waiting) => tooManyStatements(waiting, retrySeconds),
      busy: () => tooBusy(retrySeconds),
      full: () => tooBusy(1),
      stuck: () => slotsStuck(stuckRetrySeconds),
      left: askerLeft,
    },
  })
}

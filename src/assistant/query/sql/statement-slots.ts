import { Slots } from '../../../platform/limits/slots.ts'
import { clientLeft, slotsStuck, tooBusy, tooManyStatements } from './sql-errors.ts'

export const maxWaitingPerClient = 100

const retrySeconds = 5
const stuckRetrySeconds = 60

/** A client gets at most all slots but one, so it cannot block the others with long statements. */
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
      left: clientLeft,
    },
  })
}

import type { ScheduledTransaction } from '../gen/answers.ts'
import type { Tone } from '../../kit/badge.tsx'

/** The colours of what can have become of a scheduled transaction. */
export const scheduledTones = {
  scheduled: 'busy',
  pending: 'warn',
  executed: 'good',
  failed: 'bad',
  canceled: 'neutral',
} as const satisfies Record<ScheduledTransaction['status'], Tone>

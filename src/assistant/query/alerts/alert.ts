import type { QueryTarget } from '../query-service.ts'
import type { Parameter } from '../sql/parameters.ts'
import type { AlertCondition } from './condition.ts'

export interface NewAlert {
  readonly name: string
  readonly target: QueryTarget
  readonly question: string
  readonly sql: string
  readonly parameters: readonly Parameter[]
  readonly condition: AlertCondition
  readonly intervalSeconds: number
  /** Null: fires only when the condition becomes true. */
  readonly repeatHours: number | null
  /** Exactly one of `url` and `email` is set. */
  readonly url: string | null
  readonly email: string | null
}

export interface Alert extends NewAlert {
  readonly id: string
  /** Null for an e-mail alert. */
  readonly subscriptionId: number | null
  readonly pausedReason: 'owner' | 'failures' | 'webhook' | 'unconfirmed' | 'unsubscribed' | 'mail' | null
  readonly isMet: boolean | null
  readonly lastValue: string | null
  readonly lastRunAt: Date | null
  readonly lastFiredAt: Date | null
  readonly lastError: string | null
  readonly failures: number
  readonly nextRunAt: Date
  readonly createdAt: Date
}

export interface AlertRun {
  readonly run: number
  readonly finishedAt: Date
  readonly durationMs: number
  readonly isMet: boolean | null
  readonly hasFired: boolean
  readonly rowCount: number | null
  readonly value: string | null
  readonly error: string | null
}

export interface AlertDelivery {
  readonly sequence: number
  readonly status: 'pending' | 'delivered' | 'dead'
  readonly attemptCount: number
  readonly responseStatus: number | null
  readonly error: string | null
  readonly createdAt: Date
}

import type pg from 'pg'
import type { HoldUser } from '../../../platform/auth/hold-user.ts'
import type { ProjectQuotas } from '../project-quotas.ts'

/** What endpoints work with. */
export interface ProjectParts {
  readonly pool: pg.Pool
  readonly quotas: ProjectQuotas
  readonly holdUser: HoldUser
}

export interface OpenCall {
  /** Undefined: whoever asks has not signed in. */
  readonly userId: string | undefined
  /** Of the body, unread. */
  readonly data: unknown
  readonly parts: ProjectParts
}

export interface SessionCall extends OpenCall {
  readonly userId: string
}

/** One of the things that the projects function does. What `run` gives is the `data` of the answer. */
export type Endpoint =
  | { readonly access: 'open'; readonly kind: 'read' | 'write'; readonly run: (call: OpenCall) => Promise<unknown> }
  | {
      readonly access: 'session'
      readonly kind: 'read' | 'write'
      readonly run: (call: SessionCall) => Promise<unknown>
    }

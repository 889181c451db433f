import { z } from 'zod'
import type { Accounts } from '../../platform/auth/accounts.ts'
import type { DeveloperKeys } from '../../platform/auth/developer-keys.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ErrorPlace, ListedError } from '../../platform/db/indexing-errors.ts'
import { lineForm } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import type { Services } from '../route.ts'

export interface AdminOperations extends FarmOperations {
  listLabels(address?: string): Promise<readonly Label[]>
  putLabel(label: Omit<Label, 'isBuiltIn'>): Promise<void>
  removeLabel(address: string, tag: string): Promise<boolean>
  listTemplates(): Promise<readonly Template[]>
  /**
   * @param script its text, or `script_hash` of transactions
   *
   * @returns undefined if no script with this hash is stored
   */
  putTemplate(
    script: { text: string } | { hash: string },
    names: Omit<Template, 'normalHash'>,
  ): Promise<Template | undefined>
  removeTemplate(normalHash: string): Promise<boolean>
  listErrors(options: {
    worker?: string | undefined
    after?: ErrorPlace | undefined
    limit: number
  }): Promise<readonly ListedError[]>
  resolveErrors(choice: { ids?: readonly number[] | undefined; worker?: string | undefined }): Promise<number>
}

export interface FarmOperations {
  listRequests(): Promise<readonly DeriveRequest[]>
  /** @throws ApiError 400 for unknown workers or heights that are not stored */
  deriveAgain(workers: readonly string[], from: number, to: number): Promise<{ id: number; workers: readonly string[] }>
  /** @returns known tokens */
  refreshTokens(tokens: readonly string[]): Promise<readonly string[]>
}

export interface Label {
  readonly address: string
  readonly tag: string
  readonly label: string
  readonly category: 'whale' | 'service' | 'exchange' | 'defi' | 'nft' | 'custom'
  readonly isBuiltIn: boolean
}

export interface Template {
  /** SHA-256 of the normalized script. */
  readonly normalHash: string
  readonly category: string
  readonly label: string
}

interface DeriveRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly workersOff: readonly string[]
  readonly createdAt: Date
}

/** @throws ApiError 503 `not-served-here` */
export function requireOperations({ admin }: Services): AdminOperations {
  return admin ?? notServed('Admin routes are')
}

export function requireKeys({ keys }: Services): DeveloperKeys {
  return keys ?? notServed('Developer keys are')
}

export function requireAccounts({ accounts }: Services): Accounts {
  return accounts ?? notServed('User accounts are')
}

function notServed(what: string): never {
  throw new ApiError(503, 'not-served-here', `${what} not available on this server.`)
}

/** Rejects lone surrogates, which cannot be stored or sent. */
export function nameField(max: number): TextParameter {
  const problem = `must have 1 to ${max} characters without control characters`
  return z
    .string(problem)
    .regex(lineForm(max), problem)
    .refine(isWellFormed, problem)
    .transform((text) => text.trim())
}

/** PostgreSQL cannot store U+0000. */
export function scriptField(): z.ZodString {
  const problem = 'must be a Cadence script'
  return z
    .string(problem)
    .regex(/^[^\x00]+$/, problem)
    .refine(isWellFormed, problem)
}

export function workerField(): z.ZodString {
  const problem = 'must be a worker name'
  return z.string(problem).regex(/^[a-z][a-z0-9_]{0,99}$/, problem)
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

export const removedSchema = z.strictObject({ removed: z.literal(true) }).meta({ id: 'Removed' })

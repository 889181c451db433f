import { z } from 'zod'
import type { Accounts } from '../../platform/auth/accounts.ts'
import type { DeveloperKeys } from '../../platform/auth/developer-keys.ts'
import { ApiError } from '../../platform/errors.ts'
import type { ErrorPlace, ListedError } from '../../platform/db/indexing-errors.ts'
import { lineForm } from '../parameters.ts'
import type { TextParameter } from '../parameters.ts'
import type { Services } from '../route.ts'

/** What the admin routes can do beside reading. */
export interface AdminOperations extends FarmOperations {
  /** Labels of one account, or all. */
  listLabels(address?: string): Promise<readonly Label[]>
  putLabel(label: Omit<Label, 'isBuiltIn'>): Promise<void>
  /** Whether there was one. */
  removeLabel(address: string, tag: string): Promise<boolean>
  listTemplates(): Promise<readonly Template[]>
  /**
   * Gives a script a template.
   * @param script its text, or its hash as in `script_hash` of transactions
   * @returns undefined where no script with this hash is stored
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
  /** How many were open. */
  resolveErrors(choice: { ids?: readonly number[] | undefined; worker?: string | undefined }): Promise<number>
}

/** The part of it that the farm does, which owns these tables. */
export interface FarmOperations {
  listRequests(): Promise<readonly DeriveRequest[]>
  /** @throws ApiError 400 for a worker that does not exist, or heights that are not stored */
  deriveAgain(workers: readonly string[], from: number, to: number): Promise<{ id: number; workers: readonly string[] }>
  /** Has tokens and collections asked anew for what they say of themselves. @returns those that are known */
  askAgain(tokens: readonly string[]): Promise<readonly string[]>
}

export interface Label {
  readonly address: string
  readonly tag: string
  readonly label: string
  readonly category: 'whale' | 'service' | 'exchange' | 'defi' | 'nft' | 'custom'
  readonly isBuiltIn: boolean
}

export interface Template {
  /** SHA-256 of the script's normal form, 64 hex digits. */
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

/** @throws ApiError 503 `not-served-here` where the server was started without */
export function requireOperations({ admin }: Services): AdminOperations {
  return admin ?? notServed('The administration')
}

/** @throws ApiError 503 `not-served-here` */
export function requireKeys({ keys }: Services): DeveloperKeys {
  return keys ?? notServed('Developer keys')
}

/** @throws ApiError 503 `not-served-here` */
export function requireAccounts({ accounts }: Services): Accounts {
  return accounts ?? notServed('Accounts')
}

function notServed(what: string): never {
  throw new ApiError(503, 'not-served-here', `${what} cannot be reached from this server.`)
}

/**
 * A name that people give something, in one line. Half a pair of UTF-16 is none, since nobody could store or send it.
 */
export function nameField(max: number): TextParameter {
  const problem = `must be a text of 1 to ${max} characters, none of them a control character`
  return z
    .string(problem)
    .regex(lineForm(max), problem)
    .refine(isWellFormed, problem)
    .transform((text) => text.trim())
}

/** The text of a script. PostgreSQL stores no U+0000. */
export function scriptField(): z.ZodString {
  const problem = 'must be the text of a script'
  return z
    .string(problem)
    .regex(/^[^\x00]+$/, problem)
    .refine(isWellFormed, problem)
}

/** The name of a worker or ingester, known or not. */
export function workerField(): z.ZodString {
  const problem = 'must be the name of a worker'
  return z.string(problem).regex(/^[a-z][a-z0-9_]{0,99}$/, problem)
}

function isWellFormed(text: string): boolean {
  return text.isWellFormed()
}

/** The answer of routes that take something away. */
export const removedSchema = z.strictObject({ removed: z.literal(true) }).meta({ id: 'Removed' })

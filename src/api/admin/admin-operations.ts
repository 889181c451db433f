import type { ErrorPlace, ListedError } from '../../base/indexing-error.ts'

/**
 * What the admin routes can do beside reading. The API names it and has others do it, who own the tables: see
 * `services/admin-operations.ts`.
 */
export interface AdminOperations {
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

export interface DeriveRequest {
  readonly id: number
  readonly workers: readonly string[]
  readonly from: number
  /** Exclusive. */
  readonly to: number
  readonly workersOff: readonly string[]
  readonly createdAt: Date
}

import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

const codeRow = z.object({
  is_removed: z.boolean(),
  updated_height: z.number(),
  code: z.string().nullable(),
  byte_size: z.number().nullable(),
  stored_at: z.string().nullable(),
})

/** The present code of a contract as it is indexed. */
export interface IndexedCode {
  readonly isRemoved: boolean
  /** Block of the last change. */
  readonly updatedHeight: number
  /** Undefined while the code was not found. */
  readonly code: { readonly text: string; readonly bytes: number; readonly storedAt: string } | undefined
}

/** @returns undefined for a contract that no event told of */
export async function readIndexedCode(
  database: DatabasePool, address: string, name: string,
): Promise<IndexedCode | undefined> {
  const row = await database.maybeOne(sql.type(codeRow)`
    select s.is_removed, s.updated_height, c.code, coalesce(octet_length(c.code_bytes), octet_length(c.code)) as byte_size,
      c.stored_at
    from app.smart_contracts s left join app.contract_code c using (code_hash)
    where s.address = ${address} and s.name = ${name}
  `)
  if (row === null) return undefined
  const { is_removed: isRemoved, updated_height: updatedHeight, code: text, byte_size: bytes, stored_at: storedAt } = row
  const code = text === null || bytes === null || storedAt === null ? undefined : { text, bytes, storedAt }
  return { isRemoved, updatedHeight, code }
}

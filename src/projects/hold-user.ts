import type pg from 'pg'

/**
 * Keeps a user from being removed until the end of the transaction.
 * @param userId as the auth server names them (sub)
 * @returns false where they are gone
 */
export type HoldUser = (client: pg.ClientBase, userId: string) => Promise<boolean>

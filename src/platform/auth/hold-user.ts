import type pg from 'pg'

/**
 * Keeps a user from being removed until the end of the transaction: for who writes down what a user has in a table that cannot refer to them. Who
 * removes them waits, and then finds what was written. Users who are kept by the auth server of somebody else are not held: nobody can.
 * @param userId as the auth server names them (sub)
 * @returns false where they are gone
 */
export type HoldUser = (client: pg.ClientBase, userId: string) => Promise<boolean>

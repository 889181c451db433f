import { ApiError } from '../../../platform/errors.ts'

/** Why a statement is not run. */
export type RefusalCode =
  /** One of the words that the specification forbids, wherever it stands. */
  | 'sql-keyword'
  /** Not exactly one SELECT. */
  | 'sql-not-select'
  /** Not SQL that PostgreSQL can parse. */
  | 'sql-syntax'
  /** A form of SELECT that writes or locks: INTO, FOR UPDATE, a parameter. */
  | 'sql-clause'
  | 'sql-function'
  | 'sql-operator'
  | 'sql-type'
  | 'sql-relation'
  /** Empty, too long, too deep, or with characters that no statement has. */
  | 'sql-text'

/** A statement that the gate does not let through; it was not sent to the database. The message names the word at fault and the remedy. */
export class SqlRefusal extends ApiError {
  constructor(code: RefusalCode, message: string, options: { cause?: unknown } = {}) {
    super(400, code, message, { field: 'sql', ...options })
  }
}

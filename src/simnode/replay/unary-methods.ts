import { blockMethods } from './block-methods.ts'
import { eventMethods } from './event-methods.ts'
import { nodeMethods } from './node-methods.ts'
import { scriptMethods } from './script-methods.ts'
import { transactionMethods } from './transaction-methods.ts'
import type { UnaryMethod } from './unary-method.ts'

/** Every unary method of `flow.access.AccessAPI` that a replay node knows. */
export const unaryMethods: Readonly<Record<string, UnaryMethod>> = {
  ...nodeMethods, ...scriptMethods, ...blockMethods, ...transactionMethods, ...eventMethods,
}

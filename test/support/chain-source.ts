import type { ChainSource, ChainSourceOptions } from '../../src/access/chain-source.ts'
import { createChainSource } from '../../src/access/create-chain-source.ts'
import type { EventMessage, FetchedBlock, TransactionResultMessage } from '../../src/access/messages.ts'
import { NodeRegistry } from '../../src/access/nodes/node-registry.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'

export const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined }

/**
 * A source over these nodes, all of them live unless `options` differs, with separate connections.
 */
export function sourceOf(
  nodes: readonly ReplayNode[],
  options: Partial<ChainSourceOptions> = {},
  registry = new NodeRegistry(),
): ChainSource {
  const endpoints = nodes.map((node) => node.endpoint)
  return createChainSource({ liveEndpoints: endpoints, log: quiet, ...options }, registry)
}

/** The content of a block without its origin and response sizes, for comparing two fetches. */
export function contentOf({ block, transactions, transactionIds, results, missing }: FetchedBlock) {
  return { block, transactions, transactionIds, results, missing }
}

/**
 * The parts of a result that every kind of call returns: only the bulk call has collections on all
 * nodes.
 */
export function comparableResult(result: TransactionResultMessage | undefined) {
  if (result === undefined) return undefined
  const { status, statusCode, errorMessage, events } = result
  return { status, statusCode, errorMessage, events: events.map(eventText) }
}

function eventText({ type, transactionIndex, eventIndex, payload }: EventMessage): string {
  return `${transactionIndex}.${eventIndex} ${type} ${payload.toString('hex')}`
}

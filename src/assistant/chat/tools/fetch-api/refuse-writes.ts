import { ApiError } from '../../../../platform/errors.ts'

/**
 * The chat reads. What is known to send something to a chain, or to publish something at an explorer, is not called, whoever has talked the
 * model into it: a transaction that is signed already, and the source of a contract, into which anything may be written for all to see.
 * This knows the interfaces of nodes and of Blockscout; what else a host does with a request is for whoever lists it to know.
 * @throws ApiError 400 `write-refused`
 */
export function refuseWrites(url: URL, method: 'GET' | 'POST', body: unknown): void {
  const segments = decoded(url.pathname)
    .toLowerCase()
    .split(/[/\\]+/)
    .filter((segment) => segment !== '')
  if (segments.some((segment) => publishing.has(segment)))
    throw refused('Publishing sources and reports is not for the chat.')
  const actions = [...url.searchParams].filter(([name]) => name.toLowerCase() === 'action').map(([, action]) => action)
  if (actions.some((action) => /^(?:verify|submit|send|eth_send)/i.test(action)))
    throw refused('Publishing sources and sending transactions is not for the chat.')
  if (method !== 'POST') return
  if (segments.at(-1) === 'transactions')
    throw refused('Sending transactions is not for the chat; GET /v1/transactions/{id} reads one.')
  const writing = methodsOf(body).find(isWriting)
  if (writing !== undefined) throw refused(`The method ${writing.slice(0, 60)} does more than read.`)
}

const publishing: ReadonlySet<string> = new Set(['verification', 'audit-reports'])

/** Of JSON-RPC, in a batch as well. Some servers take names in any case, so all that could be meant are looked at. */
function methodsOf(body: unknown): readonly string[] {
  const calls: readonly unknown[] = Array.isArray(body) ? body : [body]
  return calls
    .flatMap((call) => (typeof call === 'object' && call !== null ? Object.entries<unknown>({ ...call }) : []))
    .flatMap(([name, value]) => (name.toLowerCase() === 'method' && typeof value === 'string' ? [value] : []))
}

/** Of transactions and signatures, and of the modules by which a node is run. */
function isWriting(name: string): boolean {
  return (
    /(?:^|_)(?:send|sign|submit|import|unlock)/i.test(name) ||
    /^(?:admin|personal|miner|engine|wallet|clique|debug_(?!trace|get))/i.test(name)
  )
}

/** A path may hide its letters in percents, once for each server that it passes. */
function decoded(path: string): string {
  let text = path
  for (let layer = 0; layer < 3; layer++) {
    try {
      text = decodeURIComponent(text)
    } catch (error) {
      if (!(error instanceof URIError)) throw error
      break
    }
  }
  return text
}

function refused(problem: string): ApiError {
  return new ApiError(400, 'write-refused', problem)
}

import type { NodeView } from '../node/node-view.ts'
import { Refusal } from '../node/refusal.ts'
import type { UnaryMethod } from '../node/unary-method.ts'
import { bytesField, bytesOf, numberOf, readFields, rewrite, varintField } from '../node/wire.ts'
import { keyOf } from './recording.ts'
import type { ReplayChain } from './replay-chain.ts'

type ReplayView = NodeView<ReplayChain>
type ReplayMethod = UnaryMethod<ReplayChain>

/** The recorded answer to exactly this call; undefined where there is none. */
function recorded(view: ReplayView, method: string, request: Buffer): Buffer | undefined {
  const answer = view.chain.version.answers.get(keyOf(method, request))
  if (answer === undefined || Buffer.isBuffer(answer)) return answer
  throw new Refusal(answer.code, answer.message)
}

function asRecorded(method: string): ReplayMethod {
  return {
    answer(view, request) {
      const answer = recorded(view, method, request)
      if (answer === undefined) throw new Refusal('UNIMPLEMENTED', `the recording has no answer to this ${method}`)
      return answer
    },
  }
}

/** An account as it was at the end of the recording, whatever height is asked: no other state was recorded. */
function account(view: ReplayView, address: Buffer): Buffer {
  const answer = recorded(view, 'GetAccountAtLatestBlock', bytesField(1, address))
  if (answer !== undefined) return answer
  const hex = address.toString('hex')
  throw new Refusal('INTERNAL', `rpc error: code = NotFound desc = could not find account with address ${hex}`)
}

/** The node's own data as recorded; the spork's root is told where it is not 0. */
function versionInfo(view: ReplayView, request: Buffer): Buffer {
  const answer = recorded(view, 'GetNodeVersionInfo', request) ?? Buffer.alloc(0)
  if (view.sporkRootHeight === 0) return answer
  const info = bytesOf(answer, 1)
  const roots = [varintField(5, view.sporkRootHeight), varintField(6, view.sporkRootHeight)]
  const told = rewrite(info, (field) => (field.number === 5 || field.number === 6 ? Buffer.alloc(0) : undefined))
  const later = readFields(told).find((field) => field.number > 6)?.start ?? told.length
  return bytesField(1, Buffer.concat([told.subarray(0, later), ...roots, told.subarray(later)]))
}

/** The calls about the node and about accounts. */
export const nodeMethods: Readonly<Record<string, ReplayMethod>> = {
  GetNetworkParameters: asRecorded('GetNetworkParameters'),
  GetNodeVersionInfo: { answer: versionInfo },
  GetLatestProtocolStateSnapshot: asRecorded('GetLatestProtocolStateSnapshot'),
  GetAccount: { answer: (view, request) => account(view, bytesOf(request, 1)) },
  GetAccountAtLatestBlock: { answer: (view, request) => account(view, bytesOf(request, 1)) },
  GetAccountAtBlockHeight: {
    height: (_view, request) => numberOf(request, 2),
    answer: (view, request) => account(view, bytesOf(request, 1)),
  },
}

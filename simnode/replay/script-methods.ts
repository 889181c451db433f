import type { NodeView } from '../node/node-view.ts'
import { Refusal } from '../node/refusal.ts'
import type { UnaryMethod } from '../node/unary-method.ts'
import { bytesField, bytesOf, contentsOf } from '../node/wire.ts'
import { keyOf } from './recording.ts'
import type { ReplayChain } from './replay-chain.ts'

const method = 'ExecuteScriptAtLatestBlock'

/** A value in JSON-CDC. */
interface JsonCdc {
  readonly type: string
  readonly value: unknown
}

/**
 * Scripts give what was recorded at the end of the chain, whatever the head: no other state was. flowfarm's own scripts that
 * take lists answer element by element and were recorded with one element each, so that lists of any length are put together
 * from these.
 */
export const scriptMethods: Readonly<Record<string, UnaryMethod<ReplayChain>>> = {
  [method]: { answer: (view, request) => recorded(view, request) ?? assembled(view, request) },
}

function recorded(view: NodeView<ReplayChain>, request: Buffer): Buffer | undefined {
  const answer = view.chain.version.answers.get(keyOf(method, request))
  if (answer === undefined || Buffer.isBuffer(answer)) return answer
  throw new Refusal(answer.code, answer.message)
}

/** @throws Refusal UNIMPLEMENTED where an element was not recorded, or the arguments are no lists of one length */
function assembled(view: NodeView<ReplayChain>, request: Buffer): Buffer {
  const script = bytesField(1, bytesOf(request, 1))
  const lists = contentsOf(request, 2).map(listOf)
  const [length, ...others] = new Set(lists.map((list) => list?.length))
  if (length === undefined || length < 2 || others.length > 0) throw unknown()
  const elements = Array.from({ length }, (_, at) => {
    const args = lists.map((list) => bytesField(2, jsonBytes({ type: 'Array', value: [list?.[at]] })))
    const answer = recorded(view, Buffer.concat([script, ...args]))
    const told = answer === undefined ? undefined : listOf(bytesOf(answer, 1))
    if (told?.length !== 1) throw unknown()
    return told[0]
  })
  return bytesField(1, jsonBytes({ type: 'Array', value: elements }))
}

function listOf(json: Buffer): readonly unknown[] | undefined {
  const { type, value } = JSON.parse(json.toString('utf8')) as JsonCdc
  return type === 'Array' && Array.isArray(value) ? value : undefined
}

function jsonBytes(value: JsonCdc): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function unknown(): Refusal {
  return new Refusal('UNIMPLEMENTED', `the recording has no answer to this ${method}`)
}

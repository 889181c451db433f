import type { NodeView, UnaryMethod } from '../node/node-view.ts'
import { Refusal } from '../node/node-view.ts'
import { bytesField, bytesOf, numberOf, readFields, rewrite, varintField, contentsOf } from '../node/wire.ts'
import { keyOf, loadRecording } from './recording.ts'
import type { ChainShape } from './replay-chain.ts'
import { FatalError } from '../../src/platform/errors.ts'
import { AccessNode } from '../server/access-node.ts'
import type { AccessNodeOptions } from '../server/access-node.ts'
import type { Recording } from './recording.ts'
import { ReplayChain } from './replay-chain.ts'

type ReplayView = NodeView<ReplayChain>
type ReplayMethod = UnaryMethod<ReplayChain>

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

/** At the end of the recording, for any height. */
function account(view: ReplayView, address: Buffer): Buffer {
  const answer = recorded(view, 'GetAccountAtLatestBlock', bytesField(1, address))
  if (answer !== undefined) return answer
  const hex = address.toString('hex')
  throw new Refusal('INTERNAL', `rpc error: code = NotFound desc = could not find account with address ${hex}`)
}

/** With the spork's root where it is not 0. */
function versionInfo(view: ReplayView, request: Buffer): Buffer {
  const answer = recorded(view, 'GetNodeVersionInfo', request) ?? Buffer.alloc(0)
  if (view.sporkRootHeight === 0) return answer
  const info = bytesOf(answer, 1)
  const roots = [varintField(5, view.sporkRootHeight), varintField(6, view.sporkRootHeight)]
  const response = rewrite(info, (field) => (field.number === 5 || field.number === 6 ? Buffer.alloc(0) : undefined))
  const later = readFields(response).find((field) => field.number > 6)?.start ?? response.length
  return bytesField(1, Buffer.concat([response.subarray(0, later), ...roots, response.subarray(later)]))
}

const nodeMethods: Readonly<Record<string, ReplayMethod>> = {
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

const method = 'ExecuteScriptAtLatestBlock'

interface JsonCdc {
  readonly type: string
  readonly value: unknown
}

/**
 * Values at the end of the recording. Lists were recorded with one element each; longer ones are
 * assembled.
 */
export const scriptMethods: Readonly<Record<string, ReplayMethod>> = {
  [method]: { answer: (view, request) => recorded(view, method, request) ?? assembled(view, request) },
}

/** @throws Refusal UNIMPLEMENTED for an unrecorded element, or lists of different lengths */
function assembled(view: ReplayView, request: Buffer): Buffer {
  const script = bytesField(1, bytesOf(request, 1))
  const lists = contentsOf(request, 2).map(listOf)
  const [length, ...others] = new Set(lists.map((list) => list?.length))
  if (length === undefined || length < 2 || others.length > 0) throw unknown()
  const elements = Array.from({ length }, (_, at) => {
    const args = lists.map((list) => bytesField(2, jsonBytes({ type: 'Array', value: [list?.[at]] })))
    const answer = recorded(view, method, Buffer.concat([script, ...args]))
    const values = answer === undefined ? undefined : listOf(bytesOf(answer, 1))
    if (values?.length !== 1) throw unknown()
    return values[0]
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

export interface ReplayNodeOptions extends AccessNodeOptions, ChainShape {
  readonly recording: string | Recording
  /** Default: the first version. */
  readonly version?: string
}

/** Accounts and script results are those at the end of the recording. */
export class ReplayNode extends AccessNode<ReplayChain> {
  readonly recording: Recording

  /** Use `startReplayNode`, which also listens. */
  constructor(recording: Recording, options: ReplayNodeOptions) {
    const names = [...recording.versions.keys()]
    super(
      {
        first: options.version ?? names[0] ?? '',
        names,
        methods: { ...nodeMethods, ...scriptMethods },
        chain(name) {
          const version = recording.versions.get(name)
          if (version !== undefined) return new ReplayChain(version, options)
          const known = names.map((other) => `'${other}'`).join(', ')
          throw new FatalError('version-unknown', `The recording has no version '${name}', only ${known}`)
        },
      },
      options,
    )
    this.recording = recording
  }
}

/** @throws FatalError for a bad recording, an unknown version or height, a port in use */
export async function startReplayNode(options: ReplayNodeOptions): Promise<ReplayNode> {
  const recording = typeof options.recording === 'string' ? await loadRecording(options.recording) : options.recording
  const node = new ReplayNode(recording, options)
  await node.listen()
  return node
}

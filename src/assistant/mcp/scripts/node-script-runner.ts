import type { ScriptCaller } from '../../../access/create-chain-reader.ts'
import { GrpcError } from '../../../access/errors.ts'
import {
  ChainCallFailedError,
  ChainUnavailableError,
  ScriptFailedError,
  StateNotServedError,
} from '../../../flow/chain-reader.ts'
import { readResult } from './read-result.ts'
import { chainFailed, chainUnavailable, scriptFailed, stateNotServed } from './script-errors.ts'
import type { ScriptRunner } from './script-runner.ts'

/** Runs scripts on the access nodes that the program follows the chain with, over gRPC. */
export function createNodeScriptRunner(nodes: ScriptCaller): ScriptRunner {
  return {
    async run(script, args, { height, id }, signal) {
      const blockId = id === undefined ? undefined : Buffer.from(id, 'hex')
      const encoded = args.map((arg) => Buffer.from(JSON.stringify(arg)))
      const result = await nodes
        .runScript(Buffer.from(script), encoded, { height, blockId, signal })
        .catch((error: unknown) => {
          throw toAnswer(error)
        })
      return readResult(result)
    },
  }
}

function toAnswer(error: unknown): unknown {
  if (error instanceof ScriptFailedError) return scriptFailed(wordsOf(error), error)
  if (error instanceof StateNotServedError) return stateNotServed(wordsOf(error), error)
  if (error instanceof ChainCallFailedError) return chainFailed(wordsOf(error), error)
  if (error instanceof ChainUnavailableError) return chainUnavailable(wordsOf(error), error)
  return error
}

/** What the node said. The message of an error of the call names the node, whose address may have a key in it. */
function wordsOf({ cause, message }: Error): string {
  if (cause === undefined) return message
  return cause instanceof GrpcError ? cause.reason : 'its answer cannot be read.'
}

import { ApiError } from '../../base/errors.ts'
import { ScriptFailedError } from '../../chain/chain-reader.ts'
import { ChainSilentError } from './present-chain.ts'

/** What routes say that have nothing but the chain to answer from. */
export const chainProblems = {
  502: 'The chain ran the script that this is asked with, and the script failed.',
  503: 'The chain cannot be asked at the moment.',
} as const

/**
 * An answer of the chain that a client waits for.
 * @throws ApiError 503 where the chain is silent, 502 where its script fails; any other error as it is
 */
export async function fromChain<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof ChainSilentError) throw chainSilentProblem(error)
    if (error instanceof ScriptFailedError)
      throw new ApiError(502, 'script-failed', chainProblems[502], { cause: error })
    throw error
  }
}

/** The answer to a client where only the chain could have told. */
export function chainSilentProblem(error: ChainSilentError): ApiError {
  return new ApiError(503, 'chain-silent', `The chain cannot be asked at the moment: ${error.message}.`, {
    cause: error,
  })
}

/** The answer of the chain, or why it is silent, for whoever can do without. */
export async function ifHeard<T>(answer: Promise<T>): Promise<{ readonly value: T } | ChainSilentError> {
  try {
    return { value: await answer }
  } catch (error) {
    if (error instanceof ChainSilentError) return error
    throw error
  }
}
